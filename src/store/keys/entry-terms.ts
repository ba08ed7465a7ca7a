import type { IndexEntry, IndexValue } from '../../indexing/entry.ts';
import { uniqueWords } from '../../indexing/words.ts';
import { isPairedToken, pairTerm, referenceTerms, tokenTerms, urlTerm, wordTerm } from './terms.ts';

/** The values of each parameter. */
export type Values = ReadonlyMap<string, readonly IndexValue[]>;

export function valuesOf(entries: readonly IndexEntry[]): Values {
  const values = new Map<string, IndexValue[]>();
  for (const { param, value } of entries) {
    const known = values.get(param);
    if (known === undefined) values.set(param, [value]);
    else known.push(value);
  }
  return values;
}

/** The terms of a value; empty for one that is not found by terms. */
export function valueTerms(value: IndexValue): readonly string[] {
  switch (value.kind) {
    case 'token':
      return tokenTerms(value);
    case 'reference':
      return referenceTerms(value);
    case 'uri':
      return [urlTerm(value.uri)];
    case 'words':
      return uniqueWords(value.text).map(wordTerm);
    case 'string':
    case 'date':
    case 'number':
    case 'quantity':
    case 'composite':
    case 'unsearchable':
      return [];
    default:
      return value satisfies never;
  }
}

/** The terms of a pair of parameters, each once, as plan/simplify.ts needs them. */
export function pairTerms(values: Values, owner: string, token: string): readonly string[] {
  const termsOf = (code: string): ReadonlySet<string> => new Set((values.get(code) ?? []).flatMap(valueTerms));
  const tokens = [...termsOf(token)].filter(isPairedToken);
  return [...termsOf(owner)].flatMap(one => tokens.map(other => pairTerm(one, other)));
}

/** The low ends of dates. */
export function lowEnds(values: readonly IndexValue[]): readonly number[] {
  return values.flatMap(value => (value.kind === 'date' ? [value.low] : []));
}
