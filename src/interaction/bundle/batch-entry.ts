import type { AuditedRequest } from '../../audit/request.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Model } from '../../model/model.ts';
import { isFhirXml, patchFormatOf, servedPatchFormats } from '../../fhir/media-type.ts';
import { jsonOfXml, withFhirErrors } from '../../fhir/xml/convert.ts';
import { isBase64 } from '../../fhir/primitive-text.ts';
import { parsePairs, percentDecode } from '../../search/parse/pairs.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { Engine, FhirRequest, RequestHeaders, SentRequest } from '../interaction.ts';
import { pathOf } from '../write/body.ts';
import { routeOfPath } from '../routes.ts';
import { checkAround } from './entry.ts';
import type { EntryResource } from './entry.ts';

/** An entry of a batch. https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request */
export interface BatchEntry {
  /** The entry around its resource: `fullUrl`, `request` and the rest. */
  readonly value: JsonObject;
  /** From 0. */
  readonly index: number;
  /** The type and the id that its resource names; undefined without a resource. */
  readonly named: { readonly type: string | undefined; readonly id: string | undefined } | undefined;
  /** The base64 of the attachments, as in JSON. */
  readonly contents: readonly Buffer[];
  /**
   * Its resource, with a short base64 in the place of each attachment; undefined without one. Entries of large Bundles
   * are read again at each call, so that their resources are not all in memory.
   */
  resource(): EntryResource | undefined;
  /** Why it was not read. */
  readonly failure?: FhirError;
}

/** Keys of the requests of entries, unique in this process: those of HTTP requests are not negative. */
let lastKey = 0;

/**
 * The request of an entry, with the rights and headers of the batch, without its body. Throws FhirError for an entry
 * that is not valid, and for a path that is not supported.
 */
export function requestOf({ model }: Engine, batch: FhirRequest, entry: BatchEntry): SentRequest {
  if (entry.failure !== undefined) throw entry.failure;
  const issues = checkAround({ model }, typeOf(batch), entry.value, entry.index);
  if (issues.length > 0) throw new FhirError(400, issues);
  const { request, fullUrl } = entry.value;
  if (asString(fullUrl)?.includes('/_history/')) throw ofVersion(entry);
  const given = isObject(request) ? request : {};
  const method = asString(given['method']);
  if (method === undefined) throw required(entry, 'request.method');
  if (!methods.includes(method)) throw unknownMethod(entry, method);
  const [path = '', ...query] = relativeUrl(entry, batch.base).split('?');
  percentDecode(path);
  const route = routeOfPath(model, method, path, query.join('?'));
  const { interaction } = route;
  const isWhole = interaction === 'search-system' || interaction === 'history-system';
  const isRead = isWhole && method === 'GET';
  const ofNoType = interaction === 'capabilities' || interaction === 'operation' || isRead;
  if (route.resourceType === undefined && !ofNoType) throw notSupported(entry, path);
  const isForm = method === 'POST' && (interaction === 'search-type' || interaction === 'search-system');
  if (isForm && entry.named !== undefined) throw notForm(entry);
  const pairs = parsePairs(query.join('?'));
  return {
    ...route,
    method,
    requestId: batch.requestId,
    requestKey: --lastKey,
    address: batch.address,
    access: batch.access,
    partition: batch.partition,
    room: batch.room,
    base: batch.base,
    parameters: pairs.filter(([name]) => name !== '_format' && name !== '_pretty'),
    headers: headersOf(given, batch.headers),
  };
}

/**
 * The request of an entry with its body: its resource, or a text of this with other links. A body that is missing or
 * wrong is its failure.
 */
export function withBody(model: Model, request: SentRequest, entry: BatchEntry, text?: string): SentRequest {
  const { interaction, method } = request;
  if (interaction === 'patch') return { ...request, ...patchOf(model, entry, text) };
  const isWrite = interaction === 'create' || interaction === 'update';
  if (!isWrite && (interaction !== 'operation' || method !== 'POST')) return request;
  const resource = text === undefined ? entry.resource() : { text, parsed: undefined };
  if (resource !== undefined) return { ...request, ...bodyOf(model, entry, resource) };
  return isWrite ? { ...request, bodyFailure: noResource(entry) } : request;
}

/** The resource of an entry with its attachments; parsed, if it has none. */
function bodyOf(
  { types }: Model,
  { named, contents }: BatchEntry,
  { text, parsed }: { readonly text: string; readonly parsed: ParsedJson | undefined },
): Pick<FhirRequest, 'body' | 'parsed'> {
  const bytes = Buffer.from(text);
  if (contents.length === 0) return { body: bytes, ...(parsed === undefined ? {} : { parsed: { text, parsed } }) };
  const parts: Buffer[] = [];
  let from = 0;
  const path = pathOf(types.get(named?.type ?? '')?.attachment);
  for (const [at, span] of findStrings(bytes, path, contents.length).entries()) {
    parts.push(bytes.subarray(from, span.from), contents[at] ?? Buffer.alloc(0));
    from = span.to;
  }
  return { body: Buffer.concat([...parts, bytes.subarray(from)]) };
}

/**
 * The patch of an entry: a FHIRPath Patch as Parameters, or a Binary with any patch. The failure is 400 without one,
 * and 415 for another content type of a Binary. https://hl7.org/fhir/R4/http.html#patch
 */
function patchOf(
  { definitions }: Model,
  entry: BatchEntry,
  text?: string,
): Pick<FhirRequest, 'body' | 'bodyFailure' | 'contentType'> {
  const resource = entry.resource();
  if (resource !== undefined && entry.named?.type !== 'Binary')
    return { body: Buffer.from(text ?? resource.text), contentType: 'application/fhir+json' };
  const { contentType, data } = isObject(resource?.parsed.value) ? resource.parsed.value : {};
  const isXml = isFhirXml(asString(contentType) ?? '');
  const format = isXml ? 'application/fhir+json' : patchFormatOf(asString(contentType) ?? '');
  if (resource === undefined || (format !== undefined && typeof data !== 'string')) {
    const text = 'A patch in a batch needs Parameters, or a Binary with the `data` of the patch.';
    return { bodyFailure: fhirError(400, 'required', text, at(entry, 'resource')) };
  }
  if (format === undefined) {
    const text = `The Binary of a patch needs a \`contentType\` of \`${servedPatchFormats.join('`, `')}\`.`;
    return { bodyFailure: fhirError(415, 'not-supported', text, at(entry, 'resource.contentType')) };
  }
  const base64 = String(data);
  if (!isBase64(base64)) {
    const text = '`data` is not valid base64.';
    return { bodyFailure: fhirError(400, 'value', text, at(entry, 'resource.data')) };
  }
  const document = Buffer.from(base64, 'base64');
  if (!isXml) return { body: document, contentType: format };
  try {
    return { body: Buffer.from(withFhirErrors(() => jsonOfXml(document, definitions))), contentType: format };
  } catch (error) {
    if (error instanceof FhirError) return { bodyFailure: error };
    throw error;
  }
}

/** The URL of an entry as the client wrote it. */
const urlOf = ({ value: { request } }: BatchEntry): string | undefined =>
  isObject(request) ? asString(request['url']) : undefined;

/**
 * The request of an entry for the audit, with the rights of the batch; `request` is undefined if the entry has no valid
 * one.
 */
export const auditedRequest = (batch: FhirRequest, entry: BatchEntry, request?: SentRequest): AuditedRequest => ({
  ...(request ?? { ...batch, requestKey: undefined, interaction: undefined, resourceType: undefined, id: undefined }),
  query: urlOf(entry),
});

/** A URL of an entry is relative to the base, or below it. https://hl7.org/fhir/R4/http.html#trules */
function relativeUrl(entry: BatchEntry, base: string): string {
  const url = urlOf(entry);
  if (url === undefined) throw required(entry, 'request.url');
  if (url === base || url.startsWith(`${base}?`)) return url.slice(base.length);
  if (url.startsWith(`${base}/`)) return url.slice(base.length + 1);
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw elsewhere(entry, url, base);
  return url.startsWith('/') ? url.slice(1) : url;
}

const typeOf = ({ interaction }: FhirRequest): 'batch' | 'transaction' =>
  interaction === 'transaction' ? 'transaction' : 'batch';

const at = ({ index }: BatchEntry, element: string): string => `Bundle.entry[${index}].${element}`;

const required = (entry: BatchEntry, element: string) =>
  fhirError(400, 'required', `The entry must have \`${element}\`.`, at(entry, element));

const notSupported = (entry: BatchEntry, path: string) =>
  fhirError(
    404,
    'not-found',
    `\`${path.slice(0, 100)}\` is not a path of an entry: write \`Type\`, \`Type/id\` or \`Type?parameters\`.`,
    at(entry, 'request.url'),
  );

/** https://hl7.org/fhir/R4/valueset-http-verb.html */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'];

const unknownMethod = (entry: BatchEntry, method: string) => {
  const text = `\`${method}\` is not a method of an entry: use \`${methods.join('`, `')}\`.`;
  return fhirError(400, 'code-invalid', text, at(entry, 'request.method'));
};

/** https://hl7.org/fhir/R4/bundle.html#inv-bdl-8 */
const ofVersion = (entry: BatchEntry) => {
  const text = 'The `fullUrl` of an entry names a resource, not one of its versions: omit `/_history/…` (bdl-8).';
  return fhirError(400, 'invariant', text, at(entry, 'fullUrl'));
};

const noResource = (entry: BatchEntry) =>
  fhirError(400, 'required', 'The entry has no `resource`: add the one to write.', at(entry, 'resource'));

const notForm = (entry: BatchEntry) => {
  const text = 'A search in a Bundle takes its parameters in `request.url`: send no `resource`.';
  return fhirError(400, 'not-supported', text, at(entry, 'resource'));
};

const elsewhere = (entry: BatchEntry, url: string, base: string) =>
  fhirError(
    404,
    'not-found',
    `\`${url}\` is not below the base URL \`${base}\`: an entry is a request to this server.`,
    at(entry, 'request.url'),
  );

function headersOf(request: JsonObject, { prefer }: RequestHeaders): RequestHeaders {
  const [match, noneMatch, since, noneExist] = ['ifMatch', 'ifNoneMatch', 'ifModifiedSince', 'ifNoneExist'].map(name =>
    asString(request[name]),
  );
  return {
    ...(prefer === undefined ? {} : { prefer }),
    ...(match === undefined ? {} : { 'if-match': match }),
    ...(noneMatch === undefined ? {} : { 'if-none-match': noneMatch }),
    ...(since === undefined ? {} : { 'if-modified-since': new Date(since).toUTCString() }),
    ...(noneExist === undefined ? {} : { 'if-none-exist': noneExist }),
  };
}
