import { asString, stringsOf } from '../fhir/json-object.ts';
import type { JsonObject } from '../fhir/json-object.ts';

/** A definition of the R4 pack: its head, and the bytes of its line. */
export interface PackEntry {
  readonly resourceType: string;
  readonly url: string;
  readonly version: string | undefined;
  /** As in Definition. */
  readonly concrete: string | undefined;
  readonly parameter: { readonly code: string; readonly bases: readonly string[] } | undefined;
  readonly start: number;
  readonly end: number;
}

/** The text of an index: the digest of its pack, then an array for each line. */
export function printIndex(digest: string, entries: readonly PackEntry[]): string {
  const lines = entries.map(({ resourceType, url, version, concrete, parameter, start, end }) =>
    JSON.stringify([resourceType, url, start, end, version, concrete, parameter?.code, parameter?.bases]),
  );
  return `["${digest}",[\n${lines.join(',\n')}\n]]\n`;
}

/** Parses an index; undefined for that of another pack. */
export function readIndex(text: string, digest: string): readonly PackEntry[] | undefined {
  if (!text.startsWith(`["${digest}",`)) return undefined;
  const [, lines] = JSON.parse(text) as [string, readonly Line[]]; // printed above, for this pack
  return lines.map(([resourceType, url, start, end, version, concrete, code, bases]) => ({
    resourceType,
    url,
    version: version ?? undefined,
    concrete: concrete ?? undefined,
    parameter: code === null || bases === null ? undefined : { code, bases },
    start,
    end,
  }));
}

type Line = readonly [
  string,
  string,
  number,
  number,
  string | null,
  string | null,
  string | null,
  readonly string[] | null,
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
    entries.push({ resourceType, url, version, concrete: concrete.exec(text)?.[1], parameter, start, end });
    start = end + 1;
  }
  return entries;
}

const parameterOf = ({ code, base }: JsonObject): PackEntry['parameter'] => ({
  code: asString(code) ?? '',
  bases: stringsOf(base),
});

const head = /^\{"resourceType":"(\w+)","url":"([^"\\]+)"(?:,"version":"([^"\\]+)")?/;

/** `kind` up to `derivation` as reduce.ts prints them. */
const concrete =
  /"kind":"resource","abstract":false,"type":"(\w+)","baseDefinition":"[^"]+","derivation":"specialization"/;
