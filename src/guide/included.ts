import { asString, objectsOf, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { GuideParameters } from './parameters.ts';

/**
 * The declared types with the reference parameters that their includes name and that the guide does not list, such as
 * `Provenance:target`: each is added to the type that has it, if that type is searched, and is reported to `add`.
 * `given` are the types of the guide, since a parameter that it lists and that is not declared is not added.
 * https://hl7.org/fhir/R4/search.html#revinclude
 */
export function withIncluded(
  declared: readonly JsonObject[],
  given: readonly JsonObject[],
  parameters: GuideParameters,
  add: (sentence: string) => void,
): readonly JsonObject[] {
  const includes = declared.flatMap(type =>
    ['searchInclude', 'searchRevInclude'].flatMap(element => stringsOf(type[element])),
  );
  return declared.map(type => {
    const name = String(type['type']);
    if (!objectsOf(type['interaction']).some(({ code }) => code === 'search-type')) return type;
    const ofGuide = given.filter(one => one['type'] === name).flatMap(one => objectsOf(one['searchParam']));
    const there = new Set([...objectsOf(type['searchParam']), ...ofGuide].map(one => asString(one['name'])));
    const needed = new Map(
      includes.toReversed().flatMap(include => {
        const [of, code = '*'] = include.split(':');
        return of === name && code !== '*' && !there.has(code) && parameters.has(name, code) ? [[code, include]] : [];
      }),
    );
    const added = [...needed].flatMap(([code, include]) => {
      const found = parameters.named(name, [{ name: code }]).filter(one => one['type'] === 'reference');
      if (found.length > 0)
        add(`Added to ${name}: the parameter \`${code}\`, which \`${include}\` of the guide needs.`);
      return found;
    });
    return { ...type, searchParam: [...objectsOf(type['searchParam']), ...added] };
  });
}
