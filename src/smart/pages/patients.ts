import { asString, isObject, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { FhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import { requestFromPage } from '../../interaction/page-request.ts';
import type { Language } from '../../pages/language.ts';
import type { QueryPair } from '../../search/request.ts';
import type { TypeDefinition } from '../../model/element.ts';
import { notCurrent } from '../../pages/not-current.ts';
import { personName } from '../../pages/person-name.ts';
import type { PagesParts } from './parts.ts';
import { patientQueries } from './patient-query.ts';
import type { UserAccess } from './user-access.ts';

/** Most patients that a search shows. */
export const mostShown = 20;

/** All elements but the narrative: a record whose stored text is damaged is left out, and the others are shown. */
const readable: readonly QueryPair[] = [['_summary', 'data']];

/** The caller, for the audit, and the language of the page. */
export interface Asker {
  readonly language: Language;
  readonly requestId: string;
  readonly address: string;
}

export interface PatientMatches {
  readonly patients: readonly FoundPatient[];
  /** Whether more match than are shown. */
  readonly more: boolean;
}

/**
 * Searches for the patients that match the typed text, among those that the user may see; undefined if the text is too
 * short. The search passes the same access checks and audit as any other. Throws the errors of the search.
 */
export async function findPatients(
  parts: Pick<PagesParts, 'engine'>,
  who: UserAccess,
  asker: Asker,
  typed: string,
): Promise<PatientMatches | undefined> {
  const queries = patientQueries(typed);
  if (queries.length === 0) return undefined;
  for (const query of queries) {
    const parameters = [...query, ...readable, ['_count', String(mostShown)]].map(([name = '', value = '']) => [
      name,
      value,
    ]);
    const { body = '{}' } = await ask(parts, who, asker, `?${String(new URLSearchParams(parameters))}`);
    const bundle = asObject(body);
    const patients = objectsOf(bundle['entry']).flatMap(
      ({ resource }) => (isObject(resource) ? summaryOf(parts, who, asker, resource) : undefined) ?? [],
    );
    const more = objectsOf(bundle['link']).some(({ relation }) => relation === 'next');
    if (patients.length > 0) return { patients, more };
  }
  return { patients: [], more: false };
}

/**
 * Reads the patient with an id, if the user may see it; else undefined. Access checks and audit are those of any read.
 */
export async function readPatient(
  parts: Pick<PagesParts, 'engine'>,
  who: UserAccess,
  asker: Asker,
  id: string,
): Promise<FoundPatient | undefined> {
  if (!isId(id)) return undefined;
  try {
    const { body = '{}' } = await ask(parts, who, asker, `/${id}`);
    return summaryOf(parts, who, asker, asObject(body));
  } catch (error) {
    if (error instanceof FhirError && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

const summaryOf = (
  { engine }: Pick<PagesParts, 'engine'>,
  { patientType }: UserAccess,
  { language }: Asker,
  resource: JsonObject,
): FoundPatient | undefined => patientOf(resource, engine.model.definitions.get(patientType), language);

const asObject = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
};

/** Requests the patients as a client of the FHIR interface would. */
const ask = (
  { engine }: Pick<PagesParts, 'engine'>,
  { partition, base, patientType, access }: UserAccess,
  { requestId, address }: Asker,
  target: string,
): Promise<FhirResponse> =>
  requestFromPage(engine, { access, partition, base, requestId, address }, `${patientType}${target}`);

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
function patientOf(
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
