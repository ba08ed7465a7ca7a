import type { FhirError } from '../../fhir/error.ts';
import { isMisspelt } from '../../fhir/suggest.ts';
import type { SearchContext } from './value.ts';

/** Wraps an error that lenient handling turns into a warning. */
export class Ignorable extends Error {
  override readonly cause: FhirError;
  constructor(cause: FhirError) {
    super(cause.message);
    this.cause = cause;
  }
}

/** Whether a parameter that cannot be applied becomes a warning; `name` is as the client sent it. */
export const isIgnored = (name: string, { handling }: Pick<SearchContext, 'handling'>): boolean =>
  handling === 'lenient' || (handling === 'usual' && isForeign(name));

/**
 * Whether a parameter is of no version of FHIR, and no misspelt one of them: the own parameters of client libraries
 * begin with `_` (`_dc`, `_=1732700000`, `_totalMethod`), and no answer depends on them.
 */
export function isForeign(name: string): boolean {
  if (!name.startsWith('_')) return false;
  const [code = ''] = name.split(/[:.]/, 1);
  return !standard.has(code) && !isMisspelt(code, standard);
}

/**
 * The parameters of R4, R5 and R6 that begin with `_`, those of Bulk Data, and those of this server.
 * https://hl7.org/fhir/R4/http.html#parameters, https://hl7.org/fhir/R5/search.html#ptypes,
 * https://build.fhir.org/search.html, https://hl7.org/fhir/uv/bulkdata/export.html#query-parameters
 */
const standard: ReadonlySet<string> = new Set(
  [
    [
      '_id',
      '_lastUpdated',
      '_tag',
      '_profile',
      '_security',
      '_source',
      '_language',
      '_in',
      '_text',
      '_content',
      '_list',
    ],
    ['_has', '_type', '_query', '_filter', '_sort', '_count', '_include', '_revinclude', '_summary', '_total'],
    ['_elements', '_contained', '_containedType', '_score', '_graph', '_maxresults', '_format', '_pretty', '_since'],
    ['_until', '_at', '_outputFormat', '_typeFilter', '_explain', '_page_token'],
  ].flat(),
);
