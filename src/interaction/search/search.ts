import { requireScope } from '../../auth/may.ts';
import { restrict, restriction } from '../../auth/restrict.ts';
import { callerOf } from '../../auth/access.ts';
import { fhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { TextDamaged } from '../../fhir/stored-text.ts';
import type { Model } from '../../model/model.ts';
import type { Position } from '../../search/ast.ts';
import { searchset, type SearchsetEntry, searchUrl } from '../../search/bundle.ts';
import { nextPageToken, parseSearchOrPage } from '../../search/parse/page.ts';
import type { Paging } from '../../search/parse/page.ts';
import type { SearchRequest } from '../../search/request.ts';
import { joinedTypes } from '../../search/walk.ts';
import { DeadlinePassed, TooManyToSort } from '../../store/errors.ts';
import type { Page, StoredVersion } from '../../store/records.ts';
import { declaredType } from '../declared.ts';
import type { Engine, FhirRequest, Interaction } from '../interaction.ts';
import { refusePending } from '../pending.ts';
import { handlingOf } from '../prefer.ts';
import { subset } from '../subset.ts';
import { countMatches, findPage } from './find.ts';
import { withExpansions } from './expansions.ts';
import { include } from './include.ts';
import type { Place } from './joined.ts';

/**
 * Search on a type, among the records that the caller may see: a searchset of one page with the used parameters in its
 * self link, and a next link if there are more. https://hl7.org/fhir/R4/http.html#search
 */
export const search: Interaction = async (engine, request, partition) => {
  const { model, cursors } = engine;
  const { base, access } = request;
  const type = declaredType(model, request);
  const handling = handlingOf(request.headers['prefer'], engine.handling);
  const paging: Paging = { cursors, partition: partition.id, caller: callerOf(access) };
  const { extract } = engine;
  const context = { model, base, zone: partition.settings.zone, handling, now: engine.now(), joins: true } as const;
  const given = await withExpansions(engine, expansions =>
    parseSearchOrPage(type, request.parameters, { ...context, expansions }, paging),
  );
  for (const { name } of joinedTypes(given.query)) {
    requireScope(access, model, { interaction: 'search-type', resourceType: name }, base);
  }
  const asked = { ...given, query: restrict(access, type, 's', given.query) };
  await refusePending(engine.store.indexes, partition.id, asked, one => restriction(access, one, 's').kind === 'all');

  const place = { partition, extract, base };
  const [page, counted] =
    asked.total === 'none'
      ? [await pageOf(place, asked), uncounted]
      : await Promise.all([pageOf(place, asked), totalOf(place, asked)]);
  const { entries, records, damaged } = entriesOf(page.versions, asked, model);
  const beside = await refuseCostly(include(page.versions, asked.includes, { ...place, model, access }));
  const included = entriesOf(beside.records, asked, model);
  damaged.push(...included.damaged);
  if (damaged.length > 0) engine.fault(new TextDamaged(), request.requestId);
  const body = searchset({
    self: searchUrl(base, type.name, asked.self),
    next: page.next === undefined ? undefined : await nextLink(engine, request, asked, page.next, paging),
    total: counted.total,
    place: `${base}/${type.name}/`,
    entries,
    included: included.entries.map(entry => ({ ...entry, place: `${base}/${entry.type}/` })),
    warnings: [...asked.warnings, ...counted.warnings, ...beside.warnings, ...damaged],
  });
  return { status: 200, body, records: [...records, ...included.records] };
};

interface Entries {
  readonly entries: readonly (SearchsetEntry & { readonly type: string })[];
  /** The records in the entries. */
  readonly records: readonly StoredVersion[];
  readonly damaged: Issue[];
}

/**
 * The entries of a page. If a part of each record is requested, a record with a damaged text is left out, and the
 * client is warned: it must not prevent reading the others.
 */
function entriesOf(found: readonly StoredVersion[], asked: SearchRequest, model: Model): Entries {
  const [entries, records, damaged]: [Entries['entries'][number][], StoredVersion[], Issue[]] = [[], [], []];
  for (const record of found) {
    const { type, id, text = '' } = record;
    try {
      const { definition } = model.types.get(type) ?? asked.type;
      entries.push({ type, id, text: subset(text, asked, definition, model.definitions) });
      records.push(record);
    } catch (error) {
      if (!(error instanceof TextDamaged)) throw error;
      const text = `\`${type}/${id}\` matches and is left out: its stored text is damaged.`;
      damaged.push({ severity: 'warning', code: 'incomplete', text: text });
    }
  }
  return { entries, records, damaged };
}

const noPage: Page = { versions: [], next: undefined };

async function pageOf(place: Place, { type, query, sort, count, after }: SearchRequest): Promise<Page> {
  return count === 0 ? noPage : refuseCostly(findPage({ type, query, sort, limit: count, after }, place));
}

interface Counted {
  readonly total: number | undefined;
  readonly warnings: readonly Issue[];
}

const uncounted: Counted = { total: undefined, warnings: [] };

/**
 * The number of matches, if requested; an estimate that takes too long is left out with a warning.
 * https://hl7.org/fhir/R4/search.html#total
 */
async function totalOf(place: Place, { type, query, total }: SearchRequest): Promise<Counted> {
  const counting = countMatches(type, query, place);
  if (total === 'accurate') return { total: await refuseCostly(counting), warnings: [] };
  try {
    return { total: await counting, warnings: [] };
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    const text = 'The total is left out, since counting took too long. Omit `_total=estimate`, or narrow the search.';
    return { total: undefined, warnings: [{ severity: 'information', code: 'too-costly', text }] };
  }
}

/** A search that exceeds its deadline returns no partial answer. https://hl7.org/fhir/R4/search.html#errors */
export async function refuseCostly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TooManyToSort) {
      const text =
        `More than ${error.most} resources match, and no index has this order. Narrow the search, by a patient or a ` +
        'code, or sort by `_id`, `_lastUpdated` or one date.';
      throw fhirError(403, 'too-costly', text, 'http._sort');
    }
    if (!(error instanceof DeadlinePassed)) throw error;
    throw fhirError(
      403,
      'too-costly',
      'The search takes too long. Narrow it, by a patient, a code or a shorter range of dates, or omit the total.',
    );
  }
}

/** Bytes that are reserved for parameters that a client or a user adds to the link: `&_count=1000&_pretty=true`. */
const room = 64;

async function nextLink(
  { maxUrl }: Engine,
  { base }: FhirRequest,
  asked: SearchRequest,
  position: Position,
  paging: Paging,
): Promise<string> {
  const token = await nextPageToken(asked, position, paging);
  const link = searchUrl(base, asked.type.name, [['_page_token', token]]);
  if (link.length + room <= maxUrl) return link;
  throw fhirError(
    400,
    'too-long',
    `The search is too long for a next link of at most ${maxUrl} bytes: send fewer values.`,
  );
}
