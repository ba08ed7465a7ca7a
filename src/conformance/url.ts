import type { QueryPair } from '../search/request.ts';

/** A query string: `name=ann&date=ge2024`. Colons, commas and bars stay readable. */
export const queryOf = (pairs: readonly QueryPair[]): string =>
  pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');

const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%(3A|2C|2F|24)/g, escape => decodeURIComponent(escape));

/** The pairs of a URL's query. */
export const pairsOf = (url: string, base: string): readonly QueryPair[] =>
  URL.canParse(url, `${base}/`) ? [...new URL(url, `${base}/`).searchParams] : [];

/** A parameter's code, without modifier and chain. */
export const codeOf = (name: string): string => name.replace(/[:.].*$/, '');
