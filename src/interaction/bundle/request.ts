import { parseETag } from '../../fhir/etag.ts';
import { isId } from '../../fhir/reference.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { FhirRequest, RequestHeaders } from '../interaction.ts';

/** The request of an entry of a batch or transaction, in the terms of a separate request. */
export interface EntryRequest extends Pick<FhirRequest, 'id'> {
  readonly interaction: 'create' | 'update' | 'delete';
  readonly resourceType: string;
  /** For a conditional update or delete: the part of the URL after `?`. */
  readonly criteria?: string | undefined;
  readonly headers: EntryHeaders;
}

/** https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request.ifMatch and the elements beside it */
export type EntryHeaders = Pick<RequestHeaders, 'if-none-match' | 'if-none-exist'> & { readonly 'if-match'?: string };

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
): EntryRequest | EntryProblem {
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

export const problem = (element: string, text: string): EntryProblem => ({ kind: 'problem', element, text });

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

function parseUrl(url: unknown, base: string): Pick<EntryRequest, 'resourceType' | 'id' | 'criteria'> | undefined {
  if (typeof url !== 'string') return undefined;
  const relative = url.startsWith(`${base}/`) ? url.slice(base.length + 1) : url.replace(/^\//, '');
  const query = relative.indexOf('?');
  const criteria = query === -1 ? undefined : relative.slice(query + 1);
  const [resourceType = '', id, ...more] = (query === -1 ? relative : relative.slice(0, query)).split('/');
  if (!/^[A-Za-z]{1,64}$/.test(resourceType) || more.length > 0) return undefined;
  if (id !== undefined && (!isId(id) || criteria !== undefined)) return undefined;
  return { resourceType, ...(id === undefined ? {} : { id }), criteria };
}
