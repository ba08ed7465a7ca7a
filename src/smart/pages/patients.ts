import { isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { FhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import { requestFromPage } from '../../interaction/page-request.ts';
import type { Language } from '../../pages/language.ts';
import type { QueryPair } from '../../search/request.ts';
import type { PagesParts } from './parts.ts';
import { patientQueries } from './patient-query.ts';
import { patientOf } from './patient-summary.ts';
import type { FoundPatient } from './patient-summary.ts';
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
