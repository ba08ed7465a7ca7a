import type { AuditedRequest } from '../../audit/request.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { isJobInteraction } from '../../fhir/interaction.ts';
import type { Model } from '../../model/model.ts';
import { hasOwnFormat, operationCallOf } from '../../model/operation-call.ts';
import { isFhirXml, patchFormatOf, servedPatchFormats } from '../../fhir/media-type.ts';
import { jsonOfXml, withFhirErrors } from '../../fhir/xml/convert.ts';
import { isBase64 } from '../../fhir/primitive.ts';
import { parsePairs, percentDecode } from '../../search/parse/pairs.ts';
import type { Engine, FhirRequest, RequestHeaders, SentRequest } from '../interaction.ts';
import { routeOfPath } from '../routes.ts';
import { bodyWithContents, checkAround } from './entry.ts';
import type { BundleEntry } from './entry.ts';

/** Keys of the requests of entries, unique in this process: those of HTTP requests are not negative. */
let lastKey = 0;

/**
 * The request of an entry, with the rights and headers of the batch, without its body. Throws FhirError for an entry
 * that is not valid, and for a path that is not supported.
 */
export function requestOf({ model }: Engine, batch: FhirRequest, entry: BundleEntry): SentRequest {
  if (entry.failure !== undefined) throw entry.failure;
  const issues = checkAround(model, typeOf(batch), entry);
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
  if (isJobInteraction(interaction) || operationCallOf(model, route)?.startsJob === true)
    throw separate(entry, path, 'is answered asynchronously');
  if (hasOwnFormat(model, route)) throw separate(entry, path, 'has an answer in a format of its own');
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
export function withBody(model: Model, request: SentRequest, entry: BundleEntry, text?: string): SentRequest {
  const { interaction, method } = request;
  if (interaction === 'patch') return { ...request, ...patchOf(model, entry, text) };
  const isWrite = interaction === 'create' || interaction === 'update';
  if (!isWrite && (interaction !== 'operation' || method !== 'POST')) return request;
  const resource = text === undefined ? entry.resource() : { text, parsed: undefined };
  if (resource === undefined) return isWrite ? { ...request, bodyFailure: noResource(entry) } : request;
  const { text: own, parsed } = resource;
  return { ...request, body: bodyWithContents(model, entry, own), parsed: parsed && { text: own, parsed } };
}

/**
 * The patch of an entry: a FHIRPath Patch as Parameters, or a Binary with any patch. The failure is 400 without one,
 * and 415 for another content type of a Binary. https://hl7.org/fhir/R4/http.html#patch
 */
function patchOf(
  { definitions }: Model,
  entry: BundleEntry,
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
const urlOf = ({ value: { request } }: BundleEntry): string | undefined =>
  isObject(request) ? asString(request['url']) : undefined;

/**
 * The request of an entry for the audit, with the rights of the batch; `request` is undefined if the entry has no valid
 * one.
 */
export const auditedRequest = (batch: FhirRequest, entry: BundleEntry, request?: SentRequest): AuditedRequest => ({
  ...(request ?? { ...batch, requestKey: undefined, interaction: undefined, resourceType: undefined, id: undefined }),
  query: urlOf(entry),
});

/** A URL of an entry is relative to the base, or below it. https://hl7.org/fhir/R4/http.html#trules */
function relativeUrl(entry: BundleEntry, base: string): string {
  const url = urlOf(entry);
  if (url === undefined) throw required(entry, 'request.url');
  if (url === base || url.startsWith(`${base}?`)) return url.slice(base.length);
  if (url.startsWith(`${base}/`)) return url.slice(base.length + 1);
  if (/^[a-z][a-z0-9+.-]*:/i.test(url)) throw elsewhere(entry, url, base);
  return url.startsWith('/') ? url.slice(1) : url;
}

const typeOf = ({ interaction }: FhirRequest): 'batch' | 'transaction' =>
  interaction === 'transaction' ? 'transaction' : 'batch';

const at = ({ index }: BundleEntry, element: string): string => `Bundle.entry[${index}].${element}`;

const required = (entry: BundleEntry, element: string) =>
  fhirError(400, 'required', `The entry must have \`${element}\`.`, at(entry, element));

const notSupported = (entry: BundleEntry, path: string) =>
  fhirError(
    404,
    'not-found',
    `\`${path.slice(0, 100)}\` is not a path of an entry: write \`Type\`, \`Type/id\` or \`Type?parameters\`.`,
    at(entry, 'request.url'),
  );

const separate = (entry: BundleEntry, path: string, what: string) =>
  fhirError(
    400,
    'not-supported',
    `\`${path.slice(0, 100)}\` ${what}, which an entry cannot have: send a separate request.`,
    at(entry, 'request.url'),
  );

/** https://hl7.org/fhir/R4/valueset-http-verb.html */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'];

const unknownMethod = (entry: BundleEntry, method: string) => {
  const text = `\`${method}\` is not a method of an entry: use \`${methods.join('`, `')}\`.`;
  return fhirError(400, 'code-invalid', text, at(entry, 'request.method'));
};

/** https://hl7.org/fhir/R4/bundle.html#inv-bdl-8 */
const ofVersion = (entry: BundleEntry) => {
  const text = 'The `fullUrl` of an entry names a resource, not one of its versions: omit `/_history/…` (bdl-8).';
  return fhirError(400, 'invariant', text, at(entry, 'fullUrl'));
};

const noResource = (entry: BundleEntry) =>
  fhirError(400, 'required', 'The entry has no `resource`: add the one to write.', at(entry, 'resource'));

const notForm = (entry: BundleEntry) => {
  const text = 'A search in a Bundle takes its parameters in `request.url`: send no `resource`.';
  return fhirError(400, 'not-supported', text, at(entry, 'resource'));
};

const elsewhere = (entry: BundleEntry, url: string, base: string) =>
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
