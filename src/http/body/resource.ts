import type { IncomingMessage } from 'node:http';
import type { InteractionCode } from '../../fhir/interaction.ts';
import { isFhirXml } from '../../fhir/media-type.ts';
import type { PatchFormat } from '../../fhir/media-type.ts';
import { declaredType } from '../../interaction/declared.ts';
import type { Route } from '../../interaction/interaction.ts';
import type { Model } from '../../model/model.ts';
import { makeOnce } from '../../limits/make-once.ts';
import { asBinary, takesContent } from './binary.ts';
import { readUpload } from './body.ts';
import type { Body, BodyLimits } from './body.ts';
import { withoutMark } from '../../fhir/utf8.ts';
import { bodyLimit, requireFhirFormat, requirePatchFormat } from './content.ts';
import type { Context } from '../context.ts';
import type { Uploads } from './uploads.ts';
import type { XmlBody } from './xml-body.ts';

/** The limits of bodies, and of a batch or transaction in bytes. */
export interface ResourceLimits extends BodyLimits {
  readonly bundle: number;
}

/** What reads XML is loaded with the first body. */
const loadXml = makeOnce(() => import('./xml-body.ts'));

/** The context that decides which resource is read, and its maximum size. */
interface Reading {
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
  { route, model, limits: { most, bundle, timeout }, uploads }: Reading,
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
  if (takesContent(route)) {
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

const withResource: ReadonlySet<InteractionCode> = new Set(['create', 'update', 'patch', 'batch']);

/** Whether a request has a body to read. An operation on a stored resource may come without one. */
export function takesResource({ interaction }: Route, method: string, { headers }: IncomingMessage): boolean {
  if (interaction !== 'operation') return withResource.has(interaction);
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  return method === 'POST' && !isEmpty;
}
