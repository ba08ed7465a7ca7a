import type { Issue } from '../../fhir/outcome.ts';
import type { SearchRequest } from '../../search/request.ts';
import { hasJoins } from '../../search/walk.ts';
import { DeadlinePassed } from '../../store/port/errors.ts';
import type { Page } from '../../store/port/records.ts';
import { refuseCostly, withDeadline } from './deadline.ts';
import { countMatches } from './find.ts';
import { include } from './include.ts';
import type { Included } from './include.ts';
import type { Includer, Place } from './joined.ts';
import { mergedPage } from './merge.ts';
import { steadyPage } from './steady-page.ts';
import { ofUsedTypes } from './used-types.ts';
import { chainsOverVersions } from './versions.ts';

/** What a search finds: a page of matches, their number if it is requested, and the records that the page includes. */
export interface Found {
  readonly page: Page;
  readonly counted: Counted;
  readonly beside: Included;
}

/** A place with the time limit of a search in milliseconds: of its page, its total and its includes each. */
export interface LimitedPlace extends Includer {
  readonly deadline: number;
}

/** Finds the page of a search of one or more types. Throws FhirError 403 `too-costly`. */
export async function findAll(asked: readonly SearchRequest[], place: LimitedPlace): Promise<Found> {
  const [first] = asked;
  const limited = (): LimitedPlace => ({ ...place, partition: withDeadline(place.partition, place.deadline) });
  const [page, counted] =
    first?.total === 'none'
      ? [await pageOf(limited(), asked), uncounted]
      : await Promise.all([pageOf(limited(), asked), totalOf(limited(), asked)]);
  const includes = first?.includes ?? [];
  const beside = includes.length === 0 ? noneBeside : await refuseCostly(include(page.versions, includes, limited()));
  if (!asked.some(({ query }) => hasJoins(query))) return { page, counted, beside };
  const overVersions = await refuseCostly(chainsOverVersions(page.versions, asked, limited()));
  return { page, counted, beside: { ...beside, warnings: [...beside.warnings, ...overVersions] } };
}

const noneBeside: Included = { records: [], warnings: [] };

const noPage: Page = { versions: [], next: undefined };

function pageOf(place: Place, asked: readonly SearchRequest[]): Promise<Page> {
  const [first] = asked;
  if (first === undefined || first.count === 0) return Promise.resolve(noPage);
  if (asked.length > 1) return refuseCostly(mergedPage(asked, place));
  const { type, query, sort, count, after, at } = first;
  return refuseCostly(steadyPage({ type, query, sort, limit: count, after, began: at }, place));
}

/** `total` is undefined if it is not requested, or left out. */
export interface Counted {
  readonly total: number | undefined;
  readonly warnings: readonly Issue[];
}

const uncounted: Counted = { total: undefined, warnings: [] };

/**
 * The number of matches, if requested; an estimate that takes too long is left out with a warning.
 * https://hl7.org/fhir/R4/search.html#total
 */
async function totalOf(place: Place, asked: readonly SearchRequest[]): Promise<Counted> {
  const counting = countAll(place, asked);
  if (asked[0]?.total === 'accurate') return { total: await refuseCostly(counting), warnings: [] };
  try {
    return { total: await counting, warnings: [] };
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    const text = 'The total is left out, since counting took too long. Omit `_total=estimate`, or narrow the search.';
    return { total: undefined, warnings: [{ severity: 'information', code: 'too-costly', text }] };
  }
}

async function countAll(place: Place, asked: readonly SearchRequest[]): Promise<number> {
  let total = 0;
  for (const { type, query } of await ofUsedTypes(asked, place)) total += await countMatches(type, query, place);
  return total;
}
