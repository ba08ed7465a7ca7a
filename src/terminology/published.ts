import { asObject, asString, isObject, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import { codesOf, MOST_CODES } from './expansion.ts';
import type { Expansion } from './expansion.ts';
import type { SetMember } from './members.ts';

/**
 * The codes of the `expansion` of a ValueSet, without abstract ones, and whether these are all; undefined if it has
 * none. https://hl7.org/fhir/R4/valueset.html#expansion
 */
export function publishedMembers(
  valueSet: JsonObject,
): { readonly members: readonly SetMember[]; readonly whole: boolean } | undefined {
  const { contains, total } = asObject(valueSet['expansion']);
  const members = new Map<string, SetMember>();
  const read = (entries: readonly JsonObject[]): void => {
    for (const stated of entries) {
      const [system, code] = [asString(stated['system']), asString(stated['code'])];
      if (stated['abstract'] !== true && system !== undefined && code !== undefined) {
        const member = { system, version: asString(stated['version']), code, concept: undefined, stated };
        members.set(`${system}\n${code}`, member);
      }
      read(objectsOf(stated['contains']));
    }
  };
  read(objectsOf(contains));
  if (members.size === 0) return undefined;
  return { members: [...members.values()], whole: typeof total !== 'number' || total <= members.size };
}

/** The answer to `$expand`, which lists up to `MOST_CODES` and one more. */
export function readExpansion(body: unknown): Expansion {
  const valueSet = asObject(body);
  const { total, contains } = asObject(valueSet['expansion']);
  const published = publishedMembers(valueSet);
  if (published?.whole === true && published.members.length <= MOST_CODES) return { codes: codesOf(published.members) };
  const isEmpty = objectsOf(contains).length === 0 && (total === undefined || total === 0);
  if (isObject(valueSet['expansion']) && isEmpty) return { codes: [] };
  if (published === undefined && contains === undefined && total === undefined)
    return { problem: 'the terminology server returned no expansion' };
  return { problem: `the terminology server does not list all of its codes, or more than ${MOST_CODES}` };
}
