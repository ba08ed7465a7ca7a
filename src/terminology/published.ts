import { asObject, asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { type CodeMap, codesOf, countOf, type Expansion, MOST_CODES } from './expansion.ts';

/**
 * The codes of the `expansion` of a ValueSet; undefined if it has none, or not all.
 * https://hl7.org/fhir/R4/valueset.html#expansion
 */
export function publishedCodes(valueSet: JsonObject): CodeMap | undefined {
  const { contains, total } = asObject(valueSet['expansion']);
  const codes = new Map<string, Set<string>>();
  const read = (entries: readonly JsonObject[]): void => {
    for (const entry of entries) {
      const [system, code] = [asString(entry['system']), asString(entry['code'])];
      if (entry['abstract'] !== true && system !== undefined && code !== undefined) {
        codes.set(system, (codes.get(system) ?? new Set()).add(code));
      }
      read(objectsOf(entry['contains']));
    }
  };
  read(objectsOf(contains));
  const count = countOf(codes);
  return count === 0 || (typeof total === 'number' && total > count) ? undefined : codes;
}

/** The answer to `$expand`, which lists up to `MOST_CODES` and one more. */
export function readExpansion(body: unknown): Expansion {
  const valueSet = asObject(body);
  const { total, contains } = asObject(valueSet['expansion']);
  const codes = publishedCodes(valueSet);
  if (codes !== undefined && countOf(codes) <= MOST_CODES) return { codes: codesOf(codes) };
  const isEmpty = objectsOf(contains).length === 0 && (total === undefined || total === 0);
  if (isObject(valueSet['expansion']) && isEmpty) return { codes: [] };
  if (codes === undefined && contains === undefined && total === undefined)
    return { problem: 'the terminology server returned no expansion' };
  return { problem: `the terminology server does not list all of its codes, or more than ${MOST_CODES}` };
}
