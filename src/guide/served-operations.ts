import type { Definitions } from '../definitions/definitions.ts';
import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { hasCriteria } from '../model/named-queries.ts';
import { partsOf, extensionsOf, textOf } from '../model/extensions.ts';
import type { GuideParameters } from './parameters.ts';

/**
 * The declared types with the operations of the guide as they are served: an OperationDefinition with criteria whose
 * `base` is that of the guide replaces it, with the search parameters of its criteria; what is added is reported to
 * `add`. All others are as the guide has them.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.operation.definition
 */
export function withServedOperations(
  declared: readonly JsonObject[],
  definitions: Definitions,
  parameters: GuideParameters,
  add: (sentence: string) => void,
): readonly JsonObject[] {
  const served = definitions
    .all('OperationDefinition')
    .map(one => one.resource())
    .filter(one => one['base'] !== undefined && hasCriteria(one));
  return declared.map(type => {
    const name = String(type['type']);
    const searchParam = [...objectsOf(type['searchParam'])];
    const operation = objectsOf(type['operation']).map(one => {
      const canonical = withoutVersion(asString(one['definition']));
      const found = served.find(
        ({ base, resource }) => withoutVersion(asString(base)) === canonical && stringsOf(resource).includes(name),
      );
      if (found === undefined) return one;
      add(`Added to ${name}: the operation \`${String(one['name'])}\`, as ${String(found['url'])} restricts it.`);
      for (const code of codesOf(found, name)) {
        if (searchParam.some(param => param['name'] === code)) continue;
        const added = parameters.named(name, [{ name: code }]);
        if (added.length > 0)
          add(`Added to ${name}: the parameter \`${code}\`, which the operation \`${String(one['name'])}\` needs.`);
        searchParam.push(...added);
      }
      return { ...one, definition: found['url'] };
    });
    return { ...type, searchParam, operation };
  });
}

const withoutVersion = (canonical: string | undefined): string | undefined => canonical?.replace(/\|.*/s, '');

/** The codes of the search parameters of the criteria for a type, each once. */
function codesOf(definition: JsonObject, typeName: string): ReadonlySet<string> {
  const criteria = extensionsOf(definition, 'query-criteria').map(({ json }) => json);
  const part = (json: JsonObject, url: string): string | undefined => textOf(partsOf(json, url)[0]?.json);
  const own = criteria.filter(json => (part(json, 'type') ?? typeName) === typeName);
  return new Set(
    own.flatMap(json => [
      ...[...new URLSearchParams(part(json, 'criteria'))].map(([name]) => name.replace(/[:.].*/s, '')),
      ...[part(json, 'latest') ?? []].flat(),
    ]),
  );
}
