import { asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';

/** The properties that identify a patient to the user. */
export interface FoundPatient {
  readonly id: string;
  /** Undefined where no name is recorded. */
  readonly name: string | undefined;
  /** As recorded: a day, a month or a year. */
  readonly birthDate: string | undefined;
  readonly gender: string | undefined;
  /** Values only, two at most. */
  readonly identifiers: readonly string[];
  readonly deceased: boolean;
}

/**
 * The summary of the resource of a patient; undefined for a resource without id. https://hl7.org/fhir/R4/patient.html
 */
export function patientOf(resource: JsonObject): FoundPatient | undefined {
  const id = asString(resource['id']);
  if (id === undefined) return undefined;
  const deceased = resource['deceasedBoolean'] === true || asString(resource['deceasedDateTime']) !== undefined;
  return {
    id,
    name: nameOf(objectsOf(resource['name'])),
    birthDate: asString(resource['birthDate']),
    gender: asString(resource['gender']),
    identifiers: objectsOf(resource['identifier'])
      .filter(({ use }) => use !== 'old')
      .flatMap(({ value }) => asString(value) ?? [])
      .slice(0, 2),
    deceased,
  };
}

/** Uses of a name in the order of preference. https://hl7.org/fhir/R4/valueset-name-use.html */
const uses = ['usual', 'official', undefined, 'temp', 'nickname', 'anonymous', 'maiden', 'old'];

function nameOf(names: readonly JsonObject[]): string | undefined {
  const printed = uses.flatMap(use => names.filter(name => asString(name['use']) === use)).map(printName);
  return printed.find(name => name !== '');
}

/** Family name first, followed by a comma, as in lists of patients. */
function printName({ text, family, given }: JsonObject): string {
  const first = (Array.isArray(given) ? given : []).filter(one => typeof one === 'string').join(' ');
  const parts = [asString(family)?.toUpperCase() ?? '', first].filter(part => part !== '');
  return parts.length > 0 ? parts.join(', ') : (asString(text) ?? '');
}
