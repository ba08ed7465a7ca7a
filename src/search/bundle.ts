import { createHash } from 'node:crypto';
import { operationOutcome, type Issue } from '../fhir/outcome.ts';
import type { QueryPair } from './request.ts';

/** The content of a searchset. */
export interface Searchset {
  /** Absolute URLs. */
  readonly self: string;
  readonly next?: string | undefined;
  /** The number of matches on all pages, if it was counted. */
  readonly total?: number | undefined;
  /** The base of the matches' absolute URLs: `{base}/{type}/`. */
  readonly place: string;
  /** The matches, in order, those of another type with the `place` of theirs. */
  readonly entries: readonly (SearchsetEntry & { readonly place?: string })[];
  /** The included resources, each with the `place` of its own type. */
  readonly included?: readonly (SearchsetEntry & { readonly place: string })[];
  /** Warnings about the interpretation of the search; they become one `outcome` entry. */
  readonly warnings: readonly Issue[];
}

export interface SearchsetEntry {
  /** A logical id, which needs no escapes. */
  readonly id: string;
  /** JSON text of the resource, inserted into the Bundle unchanged. */
  readonly text: string;
  /** The relevance of a match for a full-text search, from 0 to 1. */
  readonly score?: number | undefined;
}

/**
 * The text of a searchset Bundle around the stored texts of its resources, which are copied once.
 * https://hl7.org/fhir/R4/bundle.html#searchset
 */
export function searchset({ self, next, total, place, entries, included = [], warnings }: Searchset): string {
  const pieces = ['{"resourceType":"Bundle","type":"searchset"'];
  if (total !== undefined) pieces.push(`,"total":${total}`);
  pieces.push(',"link":[{"relation":"self","url":', JSON.stringify(self));
  if (next !== undefined) pieces.push('},{"relation":"next","url":', JSON.stringify(next));
  pieces.push('}]');
  const start = startOf(place);
  const others = `${match},${start}`;
  // FHIR has no empty arrays.
  let before = `,"entry":[${start}`;
  for (const { place: own, id, text, score } of entries) {
    if (own === undefined || own === place) pieces.push(before);
    else pieces.push(before.slice(0, -start.length), startOf(own));
    pieces.push(id, '","resource":', text);
    before = score === undefined ? others : `${scored(score)},${start}`;
  }
  const last = entries.at(-1);
  if (last !== undefined) pieces.push(last.score === undefined ? match : scored(last.score));
  let list = last === undefined ? ',"entry":[' : ',';
  let [at, own] = [place, start];
  for (const { place: of, id, text } of included) {
    if (of !== at) [at, own] = [of, startOf(of)]; // most are of one type
    pieces.push(list, own, id, '","resource":', text, include);
    list = ',';
  }
  if (warnings.length > 0) pieces.push(list, outcome(warnings));
  pieces.push(list === ',' || warnings.length > 0 ? ']}' : '}');
  return pieces.join('');
}

/** The beginning of an entry, up to its id. */
const startOf = (place: string): string => `{"fullUrl":${JSON.stringify(place).slice(0, -1)}`;

const match = ',"search":{"mode":"match"}}';
const scored = (score: number): string => `,"search":{"mode":"match","score":${score}}}`;
const include = ',"search":{"mode":"include"}}';

/** The absolute URL of a search: `{base}/{path}?name=value&…`, with the escapes that a query requires. */
export function searchUrl(base: string, path: string, pairs: readonly QueryPair[]): string {
  const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const place = path === '' ? base : `${base}/${path}`;
  return query === '' ? place : `${place}?${query}`;
}

/** Like encodeURIComponent, but without escaping characters that are valid in a query and easier to read. */
function encode(text: string): string {
  if (plain.test(text)) return text;
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:2C|2F|3A|24|40)/g, code => decodeURIComponent(code));
}

/** The characters that `encode` does not escape. */
const plain = /^[\w.!~*'(),/:$@-]*$/;

/** An entry needs a fullUrl; that of a generated resource is derived from its content. */
function outcome(warnings: readonly Issue[]): string {
  const text = JSON.stringify(operationOutcome(warnings));
  const hash = createHash('sha256').update(text).digest('hex');
  const uuid = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ];
  return `{"fullUrl":"urn:uuid:${uuid.join('-')}","resource":${text},"search":{"mode":"outcome"}}`;
}
