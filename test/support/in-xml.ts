// With CRS_TEST_FORMAT=xml the client of the HTTP tests sends and asks for XML, and tests see the JSON of it.
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { exactOf } from '../../src/fhir/exact-json.ts';
import { parseJson } from '../../src/fhir/json.ts';
import { jsonOfXml } from '../../src/fhir/xml/convert.ts';
import { printXml } from '../../src/fhir/xml/print.ts';
import { coreTypes } from '../../src/model/type-definitions.ts';

export interface AskOptions {
  /** A list is sent as several lines. */
  readonly headers?: Record<string, string | string[]>;
  readonly body?: string | Buffer;
}

/** Whether the tests of HTTP run in XML. */
export const inXml = process.env['CRS_TEST_FORMAT'] === 'xml';

const xml = 'application/fhir+xml';
const json = /^application\/(fhir\+)?json\s*(;|$)/i;

/** A request, and whether its answer is to be shown as JSON: tests that ask for a form get it. */
interface Asked extends AskOptions {
  readonly isAnswerChanged: boolean;
}

/** The request in XML: its body if XML can have it, and its answer unless the test asks for a certain form. */
export function requestInXml(path: string, { headers = {}, body }: AskOptions): Asked {
  const valueOf = (name: string): string | undefined => {
    const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
    return typeof value === 'string' ? value : value?.join();
  };
  const accept = valueOf('accept');
  const isBinary = /\/Binary\//.test(path);
  const isFree = (accept === undefined && !isBinary) || (json.test(accept ?? '') && accept?.includes(',') !== true);
  const asked =
    isFree && !path.includes('_format') ? { Accept: isBinary ? xml : (accept ?? xml).replace(/json/i, 'xml') } : {};
  const contentType = valueOf('content-type') ?? '';
  const isPlain = json.test(contentType) && valueOf('content-encoding') === undefined;
  const sent = isPlain && body !== undefined ? bodyInXml(String(body), path.startsWith('/Binary')) : undefined;
  const type = sent === undefined ? {} : { 'Content-Type': contentType.replace(/json/i, 'xml') };
  const replaced = new Set(Object.keys({ ...asked, ...type }).map(name => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  const changed = { ...Object.fromEntries(kept), ...asked, ...type };
  const isAnswerChanged = 'Accept' in asked;
  return body === undefined
    ? { headers: changed, isAnswerChanged }
    : { headers: changed, body: sent ?? body, isAnswerChanged };
}

/**
 * The XML of a resource; undefined if the content of the JSON is not that of the XML, as that of a wrong one, and for
 * the content of a Binary.
 */
function bodyInXml(text: string, isBinary: boolean): string | undefined {
  if (isBinary && !text.includes('"resourceType":"Binary"')) return undefined;
  try {
    const written = printXml(text, coreTypes);
    const back = jsonOfXml(Buffer.from(written), coreTypes);
    return isDeepStrictEqual(exactOf(parseJson(back)), exactOf(parseJson(text))) ? written : undefined;
  } catch {
    return undefined;
  }
}

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** The answer as if it were JSON. */
export function answerInJson(received: Received): Received {
  const { headers, bytes } = received;
  const type = headers['content-type'];
  if (type === undefined || !/^application\/(fhir\+)?xml/.test(type)) return received;
  const changed = { ...headers, 'content-type': type.replace('xml', 'json') };
  if (headers['content-encoding'] !== undefined || bytes.length === 0) return { headers: changed, bytes };
  const text = jsonOfXml(bytes, coreTypes).replaceAll(/ Line \d+\.(?=")/g, ''); // findings have lines in XML only
  return { headers: changed, bytes: Buffer.from(text) };
}
