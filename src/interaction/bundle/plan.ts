import { parseETag } from '../../fhir/etag.ts';
import { FhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { VersionPrecondition } from '../../store/port/records.ts';
import { queryOf } from '../conditional-create.ts';
import type { ContainerType } from './container-type.ts';
import { type EntryHeaders, type EntryProblem, problem, readEntryRequest } from './request.ts';

/** The request of an entry of a Bundle. Criteria are the part of a URL after `?`. */
export type Plan =
  | { readonly kind: 'put'; readonly type: string; readonly id: string; readonly precondition?: VersionPrecondition }
  /** Conditional create and update; `id` is used if nothing matches. https://hl7.org/fhir/R4/http.html#ccreate */
  | { readonly kind: 'create' | 'update'; readonly type: string; readonly criteria: string; readonly id: string }
  | { readonly kind: 'remove'; readonly type: string; readonly id: string; readonly precondition?: VersionPrecondition }
  | { readonly kind: 'delete'; readonly type: string; readonly criteria: string };

/**
 * The plan for an entry. In a batch and a transaction its request decides (PUT, POST, DELETE); in other Bundles the
 * resource is put. Ids are preserved, also those of a POST, since loading is not a create; `newId` returns one if there
 * is none. https://hl7.org/fhir/R4/http.html#transaction
 */
export function planEntry(
  entry: Readonly<Record<string, unknown>>,
  bundle: ContainerType,
  base: string,
  newId: () => string,
): Plan | EntryProblem {
  const { resourceType, id: given } = isObject(entry['resource']) ? entry['resource'] : {};
  const ownId = (): string => (typeof given === 'string' && isId(given) ? given : (urnId(entry['fullUrl']) ?? newId()));
  if (bundle !== 'batch' && bundle !== 'transaction') {
    if (typeof resourceType !== 'string') return problem('resource', 'The entry has no resource.');
    return { kind: 'put', type: resourceType, id: ownId() };
  }
  const request = readEntryRequest(entry, bundle, base);
  if ('kind' in request) return request;
  const { interaction, resourceType: type, id, criteria, headers } = request;
  if (interaction === 'create') {
    const condition = headers['if-none-exist'];
    if (condition === undefined) return { kind: 'put', type, id: ownId() };
    const own = criteriaOf(condition, type, base);
    return typeof own === 'string' ? { kind: 'create', type, criteria: own, id: ownId() } : own;
  }
  if (id !== undefined)
    return { kind: interaction === 'delete' ? 'remove' : 'put', type, id, ...precondition(headers) };
  if (criteria === undefined) throw new Error('A request without an id has criteria');
  return interaction === 'delete'
    ? { kind: 'delete', type, criteria }
    : { kind: 'update', type, criteria, id: ownId() };
}

function criteriaOf(given: string, name: string, base: string): string | EntryProblem {
  try {
    return queryOf(given, { name }, base);
  } catch (error) {
    if (error instanceof FhirError) return problem('request.ifNoneExist', error.message);
    throw error;
  }
}

/** The id of a `urn:uuid:` fullUrl, which is the same wherever the entry is loaded from. */
function urnId(fullUrl: unknown): string | undefined {
  if (typeof fullUrl !== 'string' || !fullUrl.startsWith('urn:uuid:')) return undefined;
  const id = fullUrl.slice('urn:uuid:'.length);
  return isId(id) ? id : undefined;
}

/**
 * https://hl7.org/fhir/R4/http.html#concurrency,
 * https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request.ifMatch
 */
function precondition(headers: EntryHeaders): { precondition?: VersionPrecondition } {
  if (headers['if-none-match'] === '*') return { precondition: { is: 'absent' } };
  const [tag] = parseETag(headers['if-match'] ?? '');
  // A version that is not a number never existed: nothing has version -1.
  return tag === undefined
    ? {}
    : { precondition: { is: 'version', version: /^\d{1,15}$/.test(tag) ? Number(tag) : -1 } };
}
