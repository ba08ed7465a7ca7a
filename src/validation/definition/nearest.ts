import { didYouMean } from '../../fhir/suggest.ts';

/**
 * " Did you mean `name`?" with the loaded url that a canonical most likely means: the same base, and the most similar
 * last part; or nothing.
 */
export function nearest(canonical: string, urls: readonly string[]): string {
  const base = canonical.replace(/[^/]*$/s, '');
  if (base === '') return ''; // the numbers of OIDs are similar by chance
  return didYouMean(lastOf(canonical), urls.filter(url => url.startsWith(base)).map(lastOf));
}

/** The last part of a canonical, without its version. */
export const lastOf = (canonical: string): string => canonical.replace(/\|.*/s, '').replace(/^.*\//s, '');
