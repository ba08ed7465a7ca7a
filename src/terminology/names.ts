import { asString, objectsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';
import type { Concept } from './code-system.ts';
import type { Names } from './languages.ts';

/** The names of a concept: what a value set states about it goes before what its system says. */
export function namesOf(
  concept: Concept | undefined,
  stated: JsonObject | undefined,
  languages: { readonly ofSystem: string | undefined; readonly ofSet: string | undefined },
): Names {
  const own = asString(stated?.['display']);
  const value = own ?? concept?.display;
  const language = own === undefined ? languages.ofSystem : (languages.ofSet ?? languages.ofSystem);
  return {
    display: value === undefined ? undefined : { value, language },
    designations: [...objectsOf(stated?.['designation']), ...(concept?.designations ?? [])],
  };
}
