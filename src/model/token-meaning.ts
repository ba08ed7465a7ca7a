import type { Definition } from '../definitions/definition.ts';
import type { Definitions } from '../definitions/definitions.ts';
import type { CompiledExpression } from '../fhirpath/extract/expression.ts';
import { asObject, asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/**
 * The code system of all codes of a ValueSet; undefined if it includes several, or other value sets. A `code` element
 * that is bound to it has this system implicitly. https://hl7.org/fhir/R4/search.html#token
 */
export function valueSetSystem(valueSet: JsonObject): string | undefined {
  const includes = objectsOf(asObject(valueSet['compose'])['include']);
  const systems = new Set(
    includes.map(include => (include['valueSet'] === undefined ? asString(include['system']) : undefined)),
  );
  return systems.size === 1 ? [...systems][0] : undefined;
}

/**
 * The other definitions that determine the entries of a token parameter (indexing/token.ts), as texts for its digest:
 * systems whose case sensitivity differs from R4, and the systems of bound `code` elements. Empty if all are as in R4.
 */
export function tokenMeaning({ types, results }: CompiledExpression, definitions: Definitions): readonly string[] {
  // Without types the values decide.
  const anySystem = types.size === 0 || [...types].some(type => !withoutSystem.has(type));
  const unsaid = results.flatMap(({ code, element }) =>
    code === 'code' && element?.binding?.strength === 'required' ? [element.binding.valueSet] : [],
  );
  return [
    ...(anySystem ? caseDifferences(definitions) : []),
    ...[...new Set(unsaid)].flatMap(valueSet => systemDifference(valueSet, definitions)),
  ];
}

/** Data types whose tokens do not depend on the case sensitivity of a system. */
const withoutSystem = new Set([
  'Identifier',
  'ContactPoint',
  'boolean',
  'code',
  'string',
  'id',
  'uri',
  'url',
  'canonical',
  'oid',
  'uuid',
]);

/** https://hl7.org/fhir/R4/codesystem-definitions.html#CodeSystem.caseSensitive */
function caseDifferences(definitions: Definitions): readonly string[] {
  const known = differences.get(definitions);
  if (known !== undefined) return known;
  const all = definitions.all('CodeSystem');
  const ofR4 = new Map(all.flatMap(one => (coreOf(one) === undefined ? [] : [[one.url, coreOf(one)]])));
  const urls = new Set(all.filter(({ core }) => !core).map(({ url }) => url));
  const found = [...urls].flatMap(url => {
    const counts = isCaseSensitive(definitions.find('CodeSystem', url));
    return counts === isCaseSensitive(ofR4.get(url)) ? [] : [`${url} ${counts ? 'case' : 'no case'}`];
  });
  differences.set(definitions, found.sort());
  return found;
}

/** Cached by definitions: it is needed for each parameter. */
const differences = new WeakMap<Definitions, readonly string[]>();

function isCaseSensitive(definition: Definition | undefined): boolean {
  return (definition?.caseSensitive ?? definition?.resource()['caseSensitive']) === true;
}

/** The system of a value set, if it differs from that of R4. */
function systemDifference(valueSet: string, definitions: Definitions): readonly string[] {
  const found = definitions.find('ValueSet', valueSet);
  if (found === undefined || found.core) return [];
  const core = definitions.all('ValueSet').find(one => one.url === found.url && coreOf(one) !== undefined);
  const [now, before] = [found, core && coreOf(core)].map(one => valueSetSystem(one?.resource() ?? {}));
  return now === before ? [] : [`${found.url} ${now ?? 'no system'}`];
}

/** The definition of R4 that this is, or that this has replaced. */
const coreOf = (definition: Definition): Definition | undefined => (definition.core ? definition : definition.replaces);
