import type { IncomingMessage } from 'node:http';
import { fhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import { isFhirJson, isMediaType } from '../../fhir/media-type.ts';
import { parseReference } from '../../fhir/reference.ts';
import { decodeUtf8, withoutMark } from '../../fhir/utf8.ts';
import type { FhirResponse } from '../../interaction/interaction.ts';
import type { Route } from '../../interaction/interaction.ts';
import type { QueryPair } from '../../search/request.ts';
import { shorten } from '../../validation/report.ts';
import { isRepeated, utf8Of } from '../request/target.ts';
import { accepts } from '../../fhir/accept.ts';
import { namesFhir } from '../request/negotiate.ts';

/** The header with the resource whose access rules apply to content that is sent alone. */
const contextHeader = 'x-security-context';

/** Parameters that ask for the resource, or for a part of it. */
const ofResource: ReadonlySet<string> = new Set(['_format', '_summary', '_elements']);

/**
 * Whether a read of a Binary asks for its content instead of the resource: unless it names a type of FHIR, or JSON.
 * https://hl7.org/fhir/R4/binary.html#rest
 */
export const asksForContent = (route: Route, pairs: readonly QueryPair[], accept: string | undefined): boolean =>
  (route.interaction === 'read' || route.interaction === 'vread') &&
  !pairs.some(([name]) => ofResource.has(name)) &&
  !namesFhir(accept);

/**
 * The answer with the content of the Binary that it has, in its own media type; a Binary without content stays as it
 * is. Browsers save it as a file, since it may be a page or a picture with scripts. Throws FhirError 406 if the client
 * accepts another type only.
 */
export function contentAnswer({ body, ...response }: FhirResponse, accept: string | undefined): FhirResponse {
  const binary: unknown = response.status === 200 && body !== undefined ? JSON.parse(body) : undefined;
  const data = isObject(binary) ? binary['data'] : undefined;
  if (!isObject(binary) || typeof data !== 'string') return body === undefined ? response : { ...response, body };
  const given = binary['contentType'];
  const type = typeof given === 'string' && isMediaType(given) ? given : 'application/octet-stream';
  if (!accepts(accept, type)) {
    const text = `The content is \`${type}\`: accept that, or \`application/fhir+json\` for the resource.`;
    throw fhirError(406, 'not-supported', text, 'http.Accept');
  }
  const context = isObject(binary['securityContext']) ? binary['securityContext']['reference'] : undefined;
  const headers = {
    ...response.headers,
    'Content-Type': type,
    'Content-Disposition': 'attachment',
    ...(typeof context === 'string' && /^[!-~]+$/.test(context) ? { 'X-Security-Context': context } : {}),
  };
  return { ...response, bytes: Buffer.from(data, 'base64'), headers };
}

/**
 * The body as a Binary: the resource itself, or one with the content that was sent, its Content-Type and the resource
 * of X-Security-Context. A body in a type of FHIR is content if it is another resource than a Binary. Throws FhirError
 * 415 without a valid Content-Type, and 400 for an invalid header. https://hl7.org/fhir/R4/binary.html#rest
 */
export function asBinary(request: IncomingMessage, { id }: Route, bytes: Buffer): Buffer {
  const contentType = request.headers['content-type']?.trim().replace(/\s+/g, ' ') ?? '';
  if (isFhirJson(contentType) && !isOther(bytes, contentType)) return withoutMark(bytes);
  if (!isMediaType(contentType)) {
    const text = 'The content of a Binary needs a `Content-Type` with its media type, such as `application/pdf`.';
    throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
  }
  const reference = securityContext(request);
  const head = JSON.stringify({
    resourceType: 'Binary',
    ...(id === undefined ? {} : { id }),
    contentType,
    ...(reference === undefined ? {} : { securityContext: { reference } }),
  });
  return Buffer.from(bytes.length === 0 ? head : `${head.slice(0, -1)},"data":"${bytes.toString('base64')}"}`);
}

/**
 * Whether JSON is a resource of another type, or, without the type of FHIR, no resource. What is no JSON is refused as
 * an invalid Binary.
 */
function isOther(bytes: Buffer, contentType: string): boolean {
  try {
    const value: unknown = JSON.parse(decodeUtf8(bytes));
    const type = isObject(value) ? value['resourceType'] : undefined;
    return type === undefined ? /^application\/json\b/i.test(contentType) : type !== 'Binary';
  } catch {
    return false;
  }
}

function securityContext({ headers, rawHeaders }: IncomingMessage): string | undefined {
  const given = headers[contextHeader];
  if (given === undefined) return undefined;
  const name = 'X-Security-Context';
  const expression = `http."${name}"`;
  if (typeof given !== 'string' || isRepeated(rawHeaders, contextHeader))
    throw fhirError(400, 'invalid', `The header ${name} is repeated: send it once.`, expression);
  const text = utf8Of(given, name);
  const reference = parseReference(text);
  if (reference?.kind === 'relative' || reference?.kind === 'absolute') return text;
  const wanted = 'a reference to a resource, such as `Type/12`';
  throw fhirError(400, 'value', `The header ${name} is ${wanted}, not \`${shorten(text)}\`.`, expression);
}
