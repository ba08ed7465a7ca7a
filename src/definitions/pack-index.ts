import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** The index of a pack: the digest of its bytes, and its lines. */
export interface PackIndex {
  readonly digest: string;
  readonly entries: readonly PackEntry[];
}

/** A definition of the R4 pack: its head, and the bytes of its line. */
export interface PackEntry {
  readonly resourceType: string;
  readonly url: string;
  readonly version: string | undefined;
  /** The value that Definition has. */
  readonly concrete: string | undefined;
  readonly parameter: { readonly code: string; readonly bases: readonly string[] } | undefined;
  /** For a CodeSystem. */
  readonly caseSensitive: boolean | undefined;
  readonly start: number;
  readonly end: number;
}

/** The text of an index: the length and the digest of its pack, then an array for each line. */
export function printIndex(length: number, { digest, entries }: PackIndex): string {
  const lines = entries.map(({ resourceType, url, version, concrete, parameter, caseSensitive, start, end }) =>
    JSON.stringify([
      resourceType,
      url,
      start,
      end,
      version,
      ...(resourceType === 'CodeSystem' ? [caseSensitive] : [concrete, parameter?.code, parameter?.bases]),
    ]),
  );
  return `[${length},"${digest}",[\n${lines.join(',\n')}\n]]\n`;
}

/** Parses an index; undefined for that of a pack of another length. */
export function readIndex(text: string, length: number): PackIndex | undefined {
  if (!text.startsWith(`[${length},`)) return undefined;
  const [, digest, lines] = JSON.parse(text) as [number, string, readonly Line[]]; // printed above, for this pack
  const entries = lines.map(([resourceType, url, start, end, version, more, code, bases]) => ({
    resourceType,
    url,
    version: version ?? undefined,
    concrete: typeof more === 'string' ? more : undefined,
    parameter: typeof code === 'string' && Array.isArray(bases) ? { code, bases: stringsOf(bases) } : undefined,
    caseSensitive: typeof more === 'boolean' ? more : undefined,
    start,
    end,
  }));
  return { digest, entries };
}

type Line = readonly [
  string,
  string,
  number,
  number,
  string | null,
  (string | boolean | null)?,
  (string | null)?,
  (readonly string[] | null)?,
];

/**
 * Reads the heads of a pack's lines. Throws Error for a line that does not begin as `reduce` prints it; `name` is the
 * file's name in messages.
 */
export function scanPack(bytes: Buffer, name: string): readonly PackEntry[] {
  const entries: PackEntry[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const text = bytes.toString('latin1', start, Math.min(end, start + 500));
    const found = head.exec(text);
    if (found === null)
      throw new Error(`${name} line ${line} is not a line of the R4 pack; make it again with \`npm run distil\``);
    const [, resourceType = '', url = '', version] = found;
    const parameter =
      resourceType === 'SearchParameter'
        ? parameterOf(JSON.parse(bytes.toString('utf8', start, end)) as JsonObject) // no other type begins with this
        : undefined;
    const caseSensitive = resourceType === 'CodeSystem' ? cased.exec(text)?.[1] : undefined;
    entries.push({
      resourceType,
      url,
      version,
      concrete: concrete.exec(text)?.[1],
      parameter,
      caseSensitive: caseSensitive === undefined ? undefined : caseSensitive === 'true',
      start,
      end,
    });
    start = end + 1;
  }
  return entries;
}

const parameterOf = ({ code, base }: JsonObject): PackEntry['parameter'] => ({
  code: asString(code) ?? '',
  bases: stringsOf(base),
});

const head = /^\{"resourceType":"(\w+)","url":"([^"\\]+)"(?:,"version":"([^"\\]+)")?/;

/** `caseSensitive` as reduce.ts prints it, before the concepts. */
const cased = /"caseSensitive":(true|false)/;

/** `kind` up to `derivation` as reduce.ts prints them. */
const concrete =
  /"kind":"resource","abstract":false,"type":"(\w+)","baseDefinition":"[^"]+","derivation":"specialization"/;
