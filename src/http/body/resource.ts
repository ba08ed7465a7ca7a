import type { IncomingMessage } from 'node:http';
import { isFhirJson, isFhirXml, patchFormatOf, patchFormats, servedPatchFormats } from '../../fhir/media-type.ts';
import type { PatchFormat } from '../../fhir/media-type.ts';
import { declaredType } from '../../interaction/declared.ts';
import type { Route } from '../../interaction/interaction.ts';
import type { Attachment, Model } from '../../model/model.ts';
import { makeOnce } from '../../limits/cache.ts';
import { withoutMark } from '../../fhir/utf8.ts';
import type { Context } from '../context.ts';
import { fhirError } from '../../fhir/error.ts';
import { asBinary } from './binary.ts';
import { readUpload } from './body.ts';
import type { Body, BodyLimits } from './body.ts';
import type { Uploads } from './uploads.ts';
import type { XmlBody } from './xml-body.ts';

/** The limits of bodies, and of a batch or transaction in bytes. */
export interface ResourceLimits extends BodyLimits {
  readonly bundle: number;
}

/** What reads XML is loaded with the first body. */
const loadXml = makeOnce(() => import('./xml-body.ts'));

/** The context that decides which resource is read, and its maximum size. */
interface BodyReading {
  readonly route: Route;
  readonly model: Model;
  readonly limits: ResourceLimits;
  readonly uploads: Uploads;
}

/** The body of a request as JSON, with its format if it is a patch, and what knows the lines of its XML. */
export interface ReceivedBody extends Body {
  readonly contentType?: PatchFormat;
  readonly xml?: XmlBody;
}

/** Reads the body of a write or an operation, as bytes of JSON, which the caller frees; XML becomes JSON. */
export async function readResource(
  { req, res }: Context,
  { route, model, limits: { most, bundle, timeout }, uploads }: BodyReading,
): Promise<ReceivedBody> {
  const isBundle = route.interaction === 'batch';
  const receive = (bytes: number, xml?: XmlBody): Promise<Body> =>
    readUpload(req, res, { most: bytes, timeout, isBundle }, uploads, xml);
  const read = async (bytes: number, isXml: boolean): Promise<ReceivedBody> => {
    const xml = isXml ? new (await loadXml()).XmlBody(model.definitions) : undefined;
    const body = await receive(bytes, xml);
    return { ...body, bytes: withoutMark(body.bytes), ...(xml === undefined ? {} : { xml }) };
  };
  if (route.interaction === 'patch') {
    const { contentType, isXml } = requirePatchFormat(req);
    return { ...(await read(most, isXml)), contentType };
  }
  if (route.resourceType === 'Binary' && (route.interaction === 'create' || route.interaction === 'update')) {
    const body = await receive(bodyLimit(declaredType(model, route).attachment, most));
    const given = isFhirXml(req.headers['content-type'] ?? '') ? await binaryOfXml(body, model) : undefined;
    return given ?? withBytes(body, bytes => asBinary(req, route, bytes));
  }
  const isXml = requireFhirFormat(req);
  if (isBundle) return read(bundle, isXml);
  const { attachment } = route.resourceType === undefined ? {} : declaredType(model, route);
  return read(bodyLimit(attachment, most), isXml);
}

/** The body as JSON if it is a Binary as XML; undefined if it is other content. */
async function binaryOfXml(body: Body, { definitions }: Model): Promise<ReceivedBody | undefined> {
  if (!/<(\w+:)?Binary[\s/>]/.test(body.bytes.subarray(0, 1024).toString('latin1'))) return undefined;
  const { XmlBody } = await loadXml();
  const xml = new XmlBody(definitions);
  return { ...withBytes(body, bytes => Buffer.concat([xml.push(bytes), xml.end()])), xml };
}

/** The body with other bytes, freed if there are none. */
function withBytes(body: Body, change: (bytes: Buffer) => Buffer): Body {
  try {
    return { ...body, bytes: change(body.bytes) };
  } catch (error) {
    body.free();
    throw error;
  }
}

/**
 * Returns whether a body is XML, and not JSON. Throws FhirError 415 unless the content type is one of both of FHIR R4
 * in UTF-8, without fhirVersion or with 4.0. https://hl7.org/fhir/R4/http.html#mime-type
 */
function requireFhirFormat({ headers }: IncomingMessage): boolean {
  const given = headers['content-type'];
  if (isFhirJson(given ?? '')) return false;
  if (isFhirXml(given ?? '')) return true;
  const text =
    'A resource is accepted as `application/fhir+json` or `application/json`, and as `application/fhir+xml`, ' +
    `\`application/xml\` or \`text/xml\`, of FHIR 4.0 in UTF-8, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"');
}

/**
 * The format of a patch, and whether it is XML, which means the same as the JSON of FHIR. Throws FhirError 415 with
 * Accept-Patch for any other content type.
 * https://hl7.org/fhir/R4/http.html#patch, https://www.rfc-editor.org/rfc/rfc5789#section-2.2
 */
function requirePatchFormat({ headers }: IncomingMessage): { contentType: PatchFormat; isXml: boolean } {
  const given = headers['content-type'];
  const format = patchFormatOf(given ?? '');
  if (format !== undefined) return { contentType: format, isXml: false };
  if (isFhirXml(given ?? '')) return { contentType: 'application/fhir+json', isXml: true };
  const [json, fhir, merge] = patchFormats;
  const text =
    `A patch is accepted as \`${json}\` or \`${merge}\`, or as Parameters or a part of the record in \`${fhir}\` or ` +
    `\`application/fhir+xml\`, in UTF-8, not with ${quoted(given)}.`;
  throw fhirError(415, 'not-supported', text, 'http."Content-Type"', { 'Accept-Patch': servedPatchFormats.join(', ') });
}

const quoted = (contentType: string | undefined): string =>
  contentType === undefined ? 'no Content-Type' : `\`Content-Type: ${contentType}\``;

/**
 * The maximum body size of a type, in bytes: `most` for the resource and, if it may have an attachment, its base64 with
 * an eighth for line breaks and escapes.
 */
function bodyLimit(attachment: Attachment | undefined, most: number): number {
  return attachment === undefined ? most : most + Math.ceil((Math.ceil(attachment.maxBytes / 3) * 4 * 9) / 8);
}
