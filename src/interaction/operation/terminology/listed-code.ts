import { asString, objectsOf } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { inLanguage } from '../../../terminology/concepts.ts';
import type { FindSystem } from '../../../terminology/concepts.ts';
import { keyOf } from './displays.ts';
import type { StatedCode } from './displays.ts';

export interface ListOptions {
  readonly language: string | undefined;
  readonly withDesignations: boolean;
  /** Languages, or `system|code` of uses; empty for all. */
  readonly designations: readonly string[];
}

/**
 * Creates the function that makes an item of an expansion: with the display of the ValueSet, else of the CodeSystem.
 * https://hl7.org/fhir/R4/valueset-definitions.html#ValueSet.expansion.contains
 */
export function createListCode(
  findSystem: FindSystem,
  stated: ReadonlyMap<string, StatedCode>,
  { language, withDesignations, designations: wanted }: ListOptions,
): (system: string, code: string) => JsonObject {
  return (system, code) => {
    const own = stated.get(keyOf(system, code));
    const concept = findSystem(system)?.concept(code);
    const designations = [...(own?.designations ?? []), ...(concept?.designations ?? [])];
    const display =
      (language === undefined ? undefined : inLanguage(designations, language)) ?? own?.display ?? concept?.display;
    const shown = withDesignations ? designations.filter(one => isWanted(one, wanted)) : [];
    return {
      system,
      ...(concept?.abstract === true ? { abstract: true } : {}),
      ...(concept?.inactive === true ? { inactive: true } : {}),
      code,
      ...(display === undefined ? {} : { display }),
      ...(shown.length === 0 ? {} : { designation: shown }),
    };
  };
}

function isWanted({ language, use }: JsonObject, wanted: readonly string[]): boolean {
  const [coding] = objectsOf([use]);
  const names = [
    language,
    `urn:ietf:bcp:47|${String(language)}`,
    `${String(coding?.['system'])}|${String(coding?.['code'])}`,
  ];
  return wanted.length === 0 || names.some(name => typeof name === 'string' && wanted.includes(name));
}

/** True if an item has each of these words, in lower case, in its code, its display or a designation. */
export function isFound(item: JsonObject, words: readonly string[]): boolean {
  const texts = [item['code'], item['display'], ...objectsOf(item['designation']).map(({ value }) => value)];
  const folded = texts.map(text => (asString(text) ?? '').toLowerCase());
  return words.every(word => folded.some(text => text.includes(word)));
}
