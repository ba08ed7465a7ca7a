import { parseETag } from '../../fhir/etag.ts';
import { FhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import { isObject } from '../../fhir/json-object.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { VersionPrecondition } from '../../store/port/records.ts';
import { queryOf } from '../criteria.ts';
import type { RequestHeaders, SentRequest } from '../interaction.ts';
import type { ContainerType } from './head.ts';
import type { EntryRequest } from './identities.ts';

/**
 * The request of an entry of a loaded Bundle. With an id it writes this record, whether it exists or not; else its
 * parameters are the criteria, of a create with `if-none-exist` too.
 */
export interface LoadRequest extends EntryRequest {
  readonly interaction: 'create' | 'update' | 'delete';
  readonly resourceType: string;
  /** The id of a record that it creates. */
  readonly newId?: string;
  readonly precondition?: VersionPrecondition;
}

/**
 * The request of an entry. In a batch and a transaction the entry states it (PUT, POST, DELETE); in other Bundles the
 * resource is put. Ids are preserved, also those of a POST, since loading is not a create; `newId` returns one if there
 * is none. https://hl7.org/fhir/R4/http.html#transaction
 */
export function readLoadRequest(
  entry: Readonly<Record<string, unknown>>,
  bundle: ContainerType,
  base: string,
  newId: () => string,
): LoadRequest | EntryProblem {
  const { resourceType: name, id: given } = isObject(entry['resource']) ? entry['resource'] : {};
  const ownId = (): string => (typeof given === 'string' && isId(given) ? given : (urnId(entry['fullUrl']) ?? newId()));
  const put = (resourceType: string, id: string) =>
    ({ interaction: 'update', resourceType, id, newId: id, parameters: [], headers: {}, base }) as const;
  if (bundle !== 'batch' && bundle !== 'transaction')
    return typeof name === 'string' ? put(name, ownId()) : problem('resource', 'The entry has no resource.');
  const request = readEntryRequest(entry, bundle, base);
  if ('kind' in request) return request;
  const { interaction, resourceType, id, criteria, headers } = request;
  const noneExist = headers['if-none-exist'];
  if (id !== undefined) {
    const written = { ...put(resourceType, id), ...preconditionOf(headers) };
    return interaction === 'delete' ? { ...written, interaction } : written;
  }
  if (interaction === 'create' && noneExist === undefined) return put(resourceType, ownId());
  try {
    const isCreate = interaction === 'create';
    const query = isCreate ? queryOf(noneExist ?? '', { name: resourceType }, base) : criteria;
    const parameters = parsePairs(query ?? '');
    const conditional = { interaction, resourceType, parameters, headers: isCreate ? headers : {}, base };
    return interaction === 'delete' ? conditional : { ...conditional, newId: ownId() };
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    return problem(interaction === 'create' ? 'request.ifNoneExist' : 'request.url', error.message);
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
function preconditionOf(headers: EntryHeaders): { readonly precondition?: VersionPrecondition } {
  if (headers['if-none-match'] === '*') return { precondition: { is: 'absent' } };
  const [tag] = parseETag(headers['if-match'] ?? '');
  // A version that is not a number never existed: nothing has version -1.
  return tag === undefined
    ? {}
    : { precondition: { is: 'version', version: /^\d{1,15}$/.test(tag) ? Number(tag) : -1 } };
}

/** The request of an entry of a batch or transaction, in the terms of a separate request. */
interface StatedRequest extends Pick<SentRequest, 'id'> {
  readonly interaction: 'create' | 'update' | 'delete';
  readonly resourceType: string;
  /** For a conditional update or delete: the part of the URL after `?`. */
  readonly criteria?: string | undefined;
  readonly headers: EntryHeaders;
}

/** https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request.ifMatch and the elements beside it */
type EntryHeaders = Pick<RequestHeaders, 'if-none-match' | 'if-none-exist'> & { readonly 'if-match'?: string };

/** An entry that cannot be processed, and its element at fault. */
export interface EntryProblem {
  readonly kind: 'problem';
  readonly element: string;
  readonly text: string;
}

/**
 * Parses the request of an entry of a Bundle of type `bundle`; URLs below `base` (no trailing slash) are relative ones.
 * Returns the problem if the request is malformed or does not fit the entry's resource.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export function readEntryRequest(
  { request, resource }: Readonly<Record<string, unknown>>,
  bundle: 'batch' | 'transaction',
  base: string,
): StatedRequest | EntryProblem {
  if (!isObject(request)) return problem('request', `An entry of a ${bundle} must have a \`request\`.`);
  const url = parseUrl(request['url'], base);
  if (url === undefined) {
    const wanted = 'must be `Type`, `Type/id` or `Type?criteria`';
    return problem('request.url', `\`request.url\` ${wanted}, not \`${String(request['url']).slice(0, 100)}\`.`);
  }
  const given = isObject(resource) ? resource : {};
  const headers = headersOf(request);
  const { 'if-match': match } = headers;
  if (match !== undefined && parseETag(match).length === 0)
    return problem('request.ifMatch', '`request.ifMatch` must have the ETag of a version, such as `W/"3"`.');
  switch (request['method']) {
    case 'DELETE':
      if (url.id === undefined && url.criteria === undefined)
        return problem('request.url', 'A DELETE requires `Type/id` or `Type?criteria`.');
      return { interaction: 'delete', ...url, headers };
    case 'PUT':
      if (given['resourceType'] !== url.resourceType) return wrongType(given['resourceType'], url.resourceType);
      if (url.id === undefined && url.criteria === undefined)
        return problem('request.url', 'A PUT requires `Type/id` or `Type?criteria`.');
      if (url.id !== undefined && given['id'] !== undefined && given['id'] !== url.id)
        return problem('resource.id', `The id of the resource differs from \`${url.id}\` in \`request.url\`.`);
      return { interaction: 'update', ...url, headers };
    case 'POST':
      if (given['resourceType'] !== url.resourceType) return wrongType(given['resourceType'], url.resourceType);
      if (url.id !== undefined || url.criteria !== undefined)
        return problem('request.url', 'A POST requires only the type in `request.url`.');
      return { interaction: 'create', ...url, headers };
    default:
      return problem('request.method', 'Only PUT, POST and DELETE can be loaded.');
  }
}

const problem = (element: string, text: string): EntryProblem => ({ kind: 'problem', element, text });

const wrongType = (given: unknown, wanted: string): EntryProblem =>
  given === undefined
    ? problem('resource', 'The entry has no resource.')
    : problem('request.url', `\`request.url\` names \`${wanted}\`, but the resource has another type.`);

function headersOf({ ifMatch, ifNoneMatch, ifNoneExist }: Readonly<Record<string, unknown>>): EntryHeaders {
  return {
    ...(typeof ifMatch === 'string' ? { 'if-match': ifMatch } : {}),
    ...(typeof ifNoneMatch === 'string' ? { 'if-none-match': ifNoneMatch } : {}),
    ...(typeof ifNoneExist === 'string' ? { 'if-none-exist': ifNoneExist } : {}),
  };
}

function parseUrl(url: unknown, base: string): Pick<StatedRequest, 'resourceType' | 'id' | 'criteria'> | undefined {
  if (typeof url !== 'string') return undefined;
  const relative = url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url.replace(/^\//, '');
  const query = relative.indexOf('?');
  const criteria = query === -1 ? undefined : relative.slice(query + 1);
  const [resourceType = '', id, ...more] = (query === -1 ? relative : relative.slice(0, query)).split('/');
  if (!/^[A-Za-z]{1,64}$/.test(resourceType) || more.length > 0) return undefined;
  if (id !== undefined && (!isId(id) || criteria !== undefined)) return undefined;
  return { resourceType, ...(id === undefined ? {} : { id }), criteria };
}
