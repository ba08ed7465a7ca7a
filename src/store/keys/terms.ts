import { parseReference } from '../../fhir/reference.ts';
import type { IndexEntry, IndexValue, QuantityValue, ReferenceValue, TokenValue } from '../../indexing/entry.ts';
import { foldCode } from '../../indexing/normalize.ts';
import type { Test, TokenTest } from '../../search/ast.ts';
import { uniqueWords } from '../../indexing/words.ts';

/** The term of a parameter whose values have no entries, in a store that does not mark missing ones. */
export const unsearchable = '!';

/** The marker of a resource that lacks a parameter. */
export const missing = '';

/**
 * The terms of a token: its system, its code, both together. The first letter is the form, and a length precedes parts
 * with arbitrary characters, so that no two values share a term. Capital letters are case-sensitive codes.
 */
export function tokenTerms(token: TokenValue): readonly string[] {
  const terms = [systemTerm(token.system)];
  if (token.code === undefined) return terms;
  return [
    ...terms,
    codeTerm(token.code, token.caseSensitive),
    codingTerm(token.system, token.code, token.caseSensitive),
  ];
}

/** `code`: in any system or none. */
export function codeTerm(code: string, caseSensitive: boolean): string {
  return `${caseSensitive ? 'C' : 'c'}${code}`;
}

/** `system|code`, and `|code` if the system is undefined. */
function codingTerm(system: string | undefined, code: string, caseSensitive: boolean): string {
  return system === undefined
    ? `${caseSensitive ? 'N' : 'n'}${code}`
    : `${caseSensitive ? 'B' : 'b'}${system.length}|${system}${code}`;
}

/**
 * The term of a token's code in any system, from a term that may name one; undefined if it has no code. Other terms are
 * unchanged.
 */
export function inAnySystem(term: string): string | undefined {
  const form = term.charAt(0);
  switch (form) {
    case 'N':
    case 'n':
      return codeTerm(term.slice(1), form === 'N');
    case 'B':
    case 'b': {
      const bar = term.indexOf('|');
      return codeTerm(term.slice(bar + 1 + Number(term.slice(1, bar))), form === 'B');
    }
    case 'y':
    case 'z':
      return undefined;
    default:
      return term;
  }
}

/** `system|`, or no system at all. */
function systemTerm(system: string | undefined): string {
  return system === undefined ? 'z' : `y${system}`;
}

/** The terms; a matching resource has at least one. */
export function askedTokens({ system, code }: Omit<TokenTest, 'kind'>): readonly string[] {
  if (code === undefined) return [systemTerm(system ?? undefined)];
  const folded = foldCode(code);
  if (system === undefined) return [codeTerm(code, true), codeTerm(folded, false)];
  return [codingTerm(system ?? undefined, code, true), codingTerm(system ?? undefined, folded, false)];
}

/** Terms that begin with a prefix, behind `after` and before `before`. */
export interface TermRange {
  readonly prefix: string;
  readonly after?: string;
  readonly before?: string;
}

/** The terms of all codes but these, in the form that the tests have: with systems, or without. */
export function otherTokens(tests: readonly TokenTest[]): readonly TermRange[] {
  const withSystem = tests.some(({ system }) => system !== undefined);
  const asked = tests.flatMap(askedTokens);
  return (withSystem ? ['B', 'b', 'N', 'n'] : ['C', 'c']).flatMap(prefix => {
    const apart = asked.filter(term => term.startsWith(prefix)).sort(compareCodePoints);
    return [undefined, ...apart].map((after, at): TermRange => {
      const before = apart[at];
      return { prefix, ...(after === undefined ? {} : { after }), ...(before === undefined ? {} : { before }) };
    });
  });
}

const compareCodePoints = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Whether pairs are kept with this form of a token: a code alone, or with its system. */
export function isPairedToken(term: string): boolean {
  return 'cCbB'.includes(term.charAt(0)) && term !== missing;
}

/** The terms of a reference; the id comes first, so that an id of any type is a range. */
export function referenceTerms(reference: ReferenceValue): readonly string[] {
  if (reference.id !== undefined) return [idTerm(reference.id, reference.type ?? '')];
  if (reference.url === undefined) return [];
  const terms = [urlTerm(reference.url)];
  return reference.version === undefined ? terms : [...terms, versionedTerm(reference.url, reference.version)];
}

export function idTerm(id: string, type: string): string {
  return `r${id}/${type}`;
}

/** The term of a reference to a resource of any type: relative, or absolute below a base. */
export function anyTypeTerm(id: string, base?: string): string {
  return base === undefined ? `i${id}` : `i${id} ${base}`;
}

/** The terms by which an id of any type matches an absolute reference. */
export function absoluteTerms({ url }: ReferenceValue): readonly string[] {
  const parsed = url === undefined ? undefined : parseReference(url);
  return parsed?.kind === 'absolute' ? [anyTypeTerm(parsed.id, parsed.base)] : [];
}

export function isOfAnyType(term: string): boolean {
  return term.startsWith('i');
}

/** The term of the relative reference for the target of an absolute one; other terms unchanged. */
export function relativeTerm(term: string): string {
  const parsed = isOfUrl(term) ? parseReference(term.slice(1)) : undefined;
  return parsed?.kind === 'absolute' ? idTerm(parsed.id, parsed.type) : term;
}

/** True for the terms of absolute references, among those of references. */
export function isOfUrl(term: string): boolean {
  return term.startsWith('u');
}

export function urlTerm(url: string): string {
  return `u${url}`;
}

/** A folded word of a full-text search; its beginning begins the term. */
export function wordTerm(word: string): string {
  return `k${word}`;
}

/** A canonical with its version; an empty version is that of a canonical without one. */
export function versionedTerm(url: string, version: string): string {
  return `w${url.length}|${url}${version}`;
}

/** The term of the URL of a test. */
export function askedUrl({ url, version }: Extract<Test, { kind: 'reference' }>): string {
  if (url === undefined) throw new Error('A reference test has neither id nor url');
  return version === undefined ? urlTerm(url) : versionedTerm(url, version);
}

/** Whether pairs are indexed by this term of an owner. */
export function isPairedOwner(term: string): boolean {
  return term !== missing && !isOfAnyType(term);
}

/** The combined term of an owner's term and a token's term. */
export function pairTerm(owner: string, token: string): string {
  return `${owner.length}|${owner}${token}`;
}

/** A quantity by a key; the canonical form has other numbers. */
export interface KeyedRange {
  readonly key: string;
  readonly low: number;
  readonly high: number;
}

/** A quantity by its keys: any unit, its code, its unit, its system with code, and its canonical form. */
export function quantityRanges({ system, code, unit, low, high, canonical }: QuantityValue): readonly KeyedRange[] {
  const keys = new Set([anyUnit]);
  if (code !== undefined) keys.add(unitKey(code));
  if (unit !== undefined) keys.add(unitKey(unit));
  if (system !== undefined) keys.add(systemUnitKey(system, code ?? ''));
  const ranges = [...keys].map(key => ({ key, low, high }));
  if (canonical === undefined) return ranges;
  return [...ranges, { key: canonicalKey(canonical.unit), low: canonical.low, high: canonical.high }];
}

/** The key of quantities in base units. */
function canonicalKey(unit: string): string {
  return `c${unit}`;
}

export function isCanonicalKey(key: string): boolean {
  return key.startsWith('c');
}

export const anyUnit = 'q';

function unitKey(unit: string): string {
  return `u${unit}`;
}

/** With an empty code it is the prefix of all units of the system. */
function systemUnitKey(system: string, code: string): string {
  return `s${system.length}|${system}${code}`;
}

/** The key of matching quantities; `prefix`: all keys with this prefix. */
export function askedUnit(test: Extract<Test, { kind: 'quantity' }>): { key: string; prefix: boolean } {
  const { system, unit, canonical } = test;
  if (canonical !== undefined) return { key: canonicalKey(canonical), prefix: false };
  if (system === undefined) return { key: unit === undefined ? anyUnit : unitKey(unit), prefix: false };
  return { key: systemUnitKey(system, unit ?? ''), prefix: unit === undefined };
}

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
