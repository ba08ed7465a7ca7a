import type { IndexEntry, IndexValue, TokenValue } from '../indexing/entry.ts';
import { foldCode } from '../indexing/normalize.ts';

/**
 * One way to read records and searches where the standard leaves a choice. A record certainly matches if it matches in
 * all readings, and certainly does not if it matches in none.
 */
export interface Reading {
  /** The zone of times without an offset: the server's own, which is not known. */
  readonly zone: string;
  /**
   * True: codes are compared with case, and strings keep their punctuation. False: neither.
   * https://hl7.org/fhir/R4/search.html#token https://hl7.org/fhir/R4/search.html#string
   */
  readonly literal: boolean;
}

/** The outermost zones and UTC: a match in all three is one in every zone. */
export const readings: readonly Reading[] = [
  { zone: 'UTC', literal: true },
  { zone: 'Etc/GMT+12', literal: false },
  { zone: 'Etc/GMT-14', literal: false },
];

/** Entries whose codes and strings are as written in the resource, without case or accents for strings alone. */
export function literalEntries(entries: readonly IndexEntry[], resource: unknown): readonly IndexEntry[] {
  let written: ReadonlyMap<string, readonly string[]> | undefined;
  const writtenAs = (code: string): readonly string[] => (written ??= textsByFolded(resource)).get(code) ?? [code];
  return entries.flatMap(({ param, value }) =>
    literalValues(value, writtenAs).map((literal): IndexEntry => ({ param, value: literal })),
  );
}

function literalValues(value: IndexValue, writtenAs: (code: string) => readonly string[]): readonly IndexValue[] {
  switch (value.kind) {
    case 'token':
      return literalTokens(value, writtenAs);
    case 'string':
      return [{ ...value, folded: withoutCaseAndAccents(value.text) }];
    case 'composite':
      // Components are no composites.
      return [
        { ...value, of: value.of.map(part => part.flatMap(one => literalValues(one, writtenAs) as typeof part)) },
      ];
    case 'words':
    case 'reference':
    case 'uri':
    case 'date':
    case 'number':
    case 'quantity':
    case 'unsearchable':
      return [value];
    default:
      return value satisfies never;
  }
}

function literalTokens(value: TokenValue, writtenAs: (code: string) => readonly string[]): readonly TokenValue[] {
  const { code, caseSensitive } = value;
  if (code === undefined || caseSensitive) return [value];
  return writtenAs(code).map(text => ({ ...value, code: text, caseSensitive: true }));
}

/** https://hl7.org/fhir/R4/search.html#string: normalized by case and accent. */
export function withoutCaseAndAccents(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().normalize('NFC');
}

/** All texts and truths of a resource by their folded form. */
function textsByFolded(resource: unknown): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      const known = found.get(foldCode(value));
      if (known === undefined) found.set(foldCode(value), [value]);
      else if (!known.includes(value)) known.push(value);
    } else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) walk(one);
  };
  walk(resource);
  return found;
}
