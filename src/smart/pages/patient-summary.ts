import { asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinition } from '../../model/element.ts';
import type { Language } from '../../pages/language.ts';
import { notCurrent } from '../../pages/not-current.ts';
import { personName } from '../../pages/person-name.ts';

/** The properties that identify a patient to the user. */
export interface FoundPatient {
  readonly id: string;
  /** Undefined where no name is recorded. */
  readonly name: string | undefined;
  /** The date as recorded: a day, a month or a year. */
  readonly birthDate: string | undefined;
  readonly gender: string | undefined;
  /** Values only, two at most. */
  readonly identifiers: readonly string[];
  /** The texts that say that the record is not a current one, such as that it is not in use. */
  readonly marks: readonly string[];
}

/**
 * The summary of the resource of a patient, with marks in a language; undefined for a resource without id.
 * https://hl7.org/fhir/R4/patient.html
 */
export function patientOf(
  resource: JsonObject,
  definition: TypeDefinition | undefined,
  language: Language,
): FoundPatient | undefined {
  const id = asString(resource['id']);
  if (id === undefined) return undefined;
  return {
    id,
    name: nameOf(objectsOf(resource['name'])),
    birthDate: asString(resource['birthDate']),
    gender: asString(resource['gender']),
    identifiers: objectsOf(resource['identifier'])
      .filter(({ use }) => use !== 'old')
      .flatMap(({ value }) => asString(value) ?? [])
      .slice(0, 2),
    marks: notCurrent(resource, definition, language),
  };
}

/** The name with the nickname beside it: `FRASER, Lucas (Luc)`. */
function nameOf(names: readonly JsonObject[]): string | undefined {
  const found = personName(names);
  if (found === undefined) return undefined;
  const { name, called } = found;
  const short = called === undefined ? '' : givenOf(called) || (asString(called['text']) ?? '');
  return short === '' ? printName(name) : `${printName(name)} (${short})`;
}

/** Family name first, followed by a comma, as in lists of patients. */
function printName(name: JsonObject): string {
  const parts = [asString(name['family'])?.toUpperCase() ?? '', givenOf(name)].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : (asString(name['text']) ?? '');
}

const givenOf = ({ given }: JsonObject): string => stringsOf(given).join(' ');
