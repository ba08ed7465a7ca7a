import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Input } from '../bulk/input.ts';
import { openBytes } from '../bulk/read/bytes.ts';
import { JsonError, parseJson } from '../fhir/json.ts';
import type { Decimals } from '../fhir/json.ts';
import type { Issue } from '../fhir/outcome.ts';
import { decodeUtf8, withoutMark } from '../fhir/utf8.ts';
import { XmlError } from '../fhir/xml/error.ts';
import type { XmlTypes } from '../fhir/xml/layout.ts';

/** A resource of a file, or the error of its text. */
export interface ReadResource {
  /** From 1, in a file with one resource per line. */
  readonly line: number | undefined;
  readonly value: unknown;
  readonly decimals: Decimals;
  readonly broken: Issue | undefined;
  /** The line of a path, in XML. */
  readonly lineOf?: (path: string) => number | undefined;
}

/** The resources of a file: of NDJSON each line that is not blank, else its whole text, which may be XML. */
export async function* readResources(input: Input, types: XmlTypes): AsyncIterable<ReadResource> {
  const chunks = openBytes(input, process.stdin);
  if (!input.lines) {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    const bytes = Buffer.concat(parts);
    const isXml = withoutMark(bytes).find(byte => byte > 0x20) === 0x3c;
    yield isXml ? await parseXml(bytes, types) : parse(() => decodeUtf8(bytes), undefined);
    return;
  }
  let line = 0;
  for await (const text of createInterface({ input: Readable.from(chunks), crlfDelay: Infinity })) {
    line++;
    if (text.trim() !== '') yield parse(() => (line === 1 ? text.replace(/^\uFEFF/, '') : text), line);
  }
}

async function parseXml(bytes: Uint8Array, types: XmlTypes): Promise<ReadResource> {
  const { jsonOfXml, linesOf } = await import('../fhir/xml/convert.ts');
  try {
    return { ...parse(() => jsonOfXml(bytes, types), undefined), lineOf: linesOf(bytes, types) };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { withPlace: text, path: expression } = error;
    return { line: undefined, ...nothing, broken: { severity: 'fatal', code: 'structure', text, expression } };
  }
}

const nothing = { value: undefined, decimals: new Map() };

function parse(text: () => string, line: number | undefined): ReadResource {
  try {
    const { value, decimals } = parseJson(text());
    return { line, value, decimals, broken: undefined };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const place = line === undefined ? ` Line ${error.line}, column ${error.column}.` : ` Column ${error.column}.`;
    const broken: Issue = { severity: 'fatal', code: 'structure', text: error.message + place, expression: error.path };
    return { line, ...nothing, broken };
  }
}
