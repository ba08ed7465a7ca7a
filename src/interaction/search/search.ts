import { restrict, restriction } from '../../auth/restrict.ts';
import { callerOf } from '../../auth/access.ts';
import { badValue, fhirError } from '../../fhir/error.ts';
import { TextDamaged } from '../../fhir/stored-text.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Position } from '../../search/ast.ts';
import { searchUrl, searchset } from '../../search/bundle.ts';
import { nextPageToken, parseSearchOrPage } from '../../search/parse/page.ts';
import type { Paging } from '../../search/parse/page.ts';
import type { ContainedSearch, QueryPair, SearchRequest } from '../../search/request.ts';
import { IndexPending } from '../../store/port/errors.ts';
import { readInRoom } from '../answer-room.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { refusePending } from '../pending.ts';
import { CodesUnknown } from '../../search/parse/code-set.ts';
import { withKnown } from '../../terminology/expander.ts';
import type { CodeSet } from '../../terminology/expander.ts';
import type { Codes, Expansions } from '../../terminology/expansion.ts';
import { expandStored } from '../../terminology/expansions.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { containedEntries, entriesOf, scoresOf } from './entries.ts';
import type { Entries } from './entries.ts';
import { containedPage, countContained } from './contained-page.ts';
import { withDeadline } from './deadline.ts';
import { answerExplained } from './explain/answer.ts';
import { findAll } from './find-all.ts';
import type { Found, LimitedPlace } from './find-all.ts';
import { requireScopesOfJoins, searchedBy } from './searched.ts';
import type { Place } from './joined.ts';

/** Most sets of one search that the terminology server is asked for. */
const MOST_SETS = 20;

/**
 * Parses a search again with each set of codes that code systems in the store, or the terminology server, add to the
 * loaded ones; without need of these once, at once. Throws FhirError 400 for a set that none can list, 503 if the
 * server does not answer.
 */
export function withExpansions<Value>(
  engine: Pick<Engine, 'model' | 'expander' | 'definitions' | 'store'>,
  partition: Pick<Partition, 'id'>,
  parse: (expansions: Expansions) => Value | Promise<Value>,
): Value | Promise<Value> {
  const again = (error: unknown): Promise<Value> => askingFor(engine, partition, parse, error);
  try {
    const { model, expander } = engine;
    const parsed = parse(expander === undefined ? model.expansions : withKnown(model.expansions, expander));
    return parsed instanceof Promise ? parsed.catch(again) : parsed;
  } catch (error) {
    return again(error);
  }
}

async function askingFor<Value>(
  { model, expander, definitions, store }: Parameters<typeof withExpansions>[0],
  partition: Pick<Partition, 'id'>,
  parse: (expansions: Expansions) => Value | Promise<Value>,
  first: unknown,
): Promise<Value> {
  const inStore = expandStored(definitions, store, partition.id);
  const stored = new Map<string, Codes>();
  const known = (set: CodeSet): Codes | undefined => stored.get(JSON.stringify(set)) ?? expander?.known(set);
  const expansions = withKnown(model.expansions, { known });
  let last = first;
  for (let asked = 0; ; asked += 1) {
    if (!(last instanceof CodesUnknown) || asked > MOST_SETS) throw last;
    const { value, problem, set } = last;
    const found = await inStore(set);
    if (found !== undefined && 'codes' in found) stored.set(JSON.stringify(set), found.codes);
    else if (expander === undefined) throw found === undefined ? last : new CodesUnknown(value, found.problem, set);
    else {
      const answer = await expander.ask(set);
      if (answer === 'unreachable') throw unreachable(last);
      if ('problem' in answer) throw new CodesUnknown(value, `${problem}, and ${answer.problem}`, set);
    }
    try {
      return await parse(expansions);
    } catch (error) {
      last = error;
    }
  }
}

function unreachable({ value: { name, text } }: CodesUnknown): Error {
  return fhirError(
    503,
    'transient',
    `The terminology server, which \`${name}=${text}\` needs, does not answer. Retry later.`,
    `http.${name}`,
    { 'Retry-After': '30' },
  );
}

/**
 * Search on a type, on several types or in a compartment, among the records that the caller may see: a searchset of one
 * page with the used parameters in its self link, and a next link if there are more.
 * https://hl7.org/fhir/R4/http.html#search
 */
export const search: Interaction = async (engine, request, partition) => {
  const { model, cursors, extract } = engine;
  const { base, access, handling } = request;
  const searched = searchedBy(model, request);
  const paging: Paging = { cursors, partition: partition.id, caller: callerOf(access) };
  const context = { model, base, zone: partition.settings.zone, handling, now: engine.now(), joins: true } as const;
  const { explain, parameters } = readExplain(model, request.parameters);
  const parsing = withExpansions(engine, partition, expansions =>
    parseSearchOrPage(searched, parameters, { ...context, expansions }, paging),
  );
  const given = parsing instanceof Promise ? await parsing : parsing;
  const parse = (pairs: readonly QueryPair[]) => searched.parse(pairs, { ...context, expansions: model.expansions });
  requireScopesOfJoins(given, { access, model, base, parameters, parse });
  const both = given.map(one => {
    const query = restrict(access, one.type, 's', one.query);
    return { given: one, asked: query === one.query ? one : { ...one, query } };
  });
  const asked = both.map(one => one.asked);
  const place = { partition, extract, base, model, access, deadline: engine.searchDeadline };
  const [first] = asked;
  if (first === undefined) throw new Error('A search has no type');
  const run = (): Promise<FhirResponse> =>
    explain
      ? answerExplained(both, place)
      : answer(engine, request, { path: searched.path, first, asked, paging }, place);
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof IndexPending)) throw error;
    const seesAll = (type: ResourceType): boolean => restriction(access, type, 's').kind === 'all';
    for (const one of asked) await refusePending(engine.store.indexes, partition.id, one, seesAll);
    return run(); // it has been completed meanwhile
  }
};

interface AskedSearches {
  readonly path: string;
  readonly first: SearchRequest;
  /** The first and all others: one for each type, with the same controls; what the caller may not see is excluded. */
  readonly asked: readonly SearchRequest[];
  readonly paging: Paging;
}

async function answer(
  engine: Engine,
  request: FhirRequest,
  { path, first, asked, paging }: AskedSearches,
  place: LimitedPlace,
): Promise<FhirResponse> {
  const { base } = request;
  const { contained } = first;
  const read = (): Promise<Answered> =>
    contained?.as === 'contained' ? findContained(first, asked, contained, place) : findRecords(first, asked, place);
  const large = { count: first.count, others: first.includes.length > 0 };
  const { entries, records, damaged, next, counted, beside } = await readInRoom(request.room, large, read);
  const included = await entriesOf(beside.records, first, place.model);
  damaged.push(...included.damaged);
  if (damaged.length > 0) engine.fault(new TextDamaged(), request.requestId);
  const placed = <T extends { readonly type: string }>(entry: T) => ({ ...entry, place: `${base}/${entry.type}/` });
  const linking =
    next === undefined || first.firstOnly === true ? undefined : nextLink(engine, base, path, first, next, paging);
  const body = searchset({
    self: searchUrl(base, path, first.self),
    next: linking instanceof Promise ? await linking : linking,
    total: first.firstOnly === true && counted.total !== undefined ? Math.min(counted.total, 1) : counted.total,
    place: `${base}/${first.type.name}/`,
    entries: asked.length === 1 ? entries : entries.map(placed),
    included: included.entries.map(placed),
    warnings: [...first.warnings, ...counted.warnings, ...beside.warnings, ...damaged],
  });
  const all = included.records.length === 0 ? records : [...records, ...included.records];
  return { status: 200, body, records: all };
}

/** The entries of a page, and what goes with them. */
interface Answered extends Entries, Pick<Found, 'counted' | 'beside'> {
  readonly next: Position | undefined;
}

async function findRecords(
  first: SearchRequest,
  asked: readonly SearchRequest[],
  place: LimitedPlace,
): Promise<Answered> {
  const { page, counted, beside } = await findAll(asked, place);
  const scores = scoresOf(page.versions, asked, place);
  const entries = await entriesOf(page.versions, first, place.model, scores);
  return { ...entries, next: page.next, counted, beside };
}

/** Contained resources alone. */
async function findContained(
  first: SearchRequest,
  asked: readonly SearchRequest[],
  contained: ContainedSearch,
  place: LimitedPlace,
): Promise<Answered> {
  const limited = (): Place => ({ ...place, partition: withDeadline(place.partition, place.deadline) });
  const { matches, next } = await containedPage(asked, limited());
  const total = first.total === 'none' ? undefined : await countContained(asked, limited());
  const entries = containedEntries(matches, first, contained, place.model);
  return { ...entries, next, counted: { total, warnings: [] }, beside: { records: [], warnings: [] } };
}

/** Bytes that are reserved for parameters that a client or a user adds to the link: `&_count=1000&_pretty=true`. */
const room = 64;

/** The link to the page after a position; a promise if a key must be read. Throws FhirError 400 if it is too long. */
export function nextLink(
  { maxUrl }: Pick<Engine, 'maxUrl'>,
  base: string,
  path: string,
  asked: Pick<SearchRequest, 'used' | 'at'>,
  position: Position,
  paging: Paging,
): string | Promise<string> {
  const token = nextPageToken(path, asked, position, paging);
  return typeof token === 'string' ? linkWith(token) : token.then(linkWith);

  function linkWith(token: string): string {
    const link = searchUrl(base, path, [['_page_token', token]]);
    if (link.length + room <= maxUrl) return link;
    throw fhirError(
      400,
      'too-long',
      `The search is too long for a next link of at most ${maxUrl} bytes: send fewer values.`,
    );
  }
}

/** Whether a search is explained, and its other parameters. */
interface ExplainRequest {
  readonly explain: boolean;
  readonly parameters: readonly QueryPair[];
}

/**
 * Takes `_explain` from the parameters of a search. Where no capability file declares it, it stays among them, as an
 * unknown one. Throws FhirError 400 if it is repeated, or neither `true` nor `false`.
 */
function readExplain({ explainScopes }: Model, parameters: readonly QueryPair[]): ExplainRequest {
  const given = explainScopes.size === 0 ? [] : parameters.filter(([name]) => name === '_explain');
  const [pair, other] = given;
  if (pair === undefined) return { explain: false, parameters };
  const [, value] = pair;
  if (other !== undefined) throw badValue('_explain', '`_explain` is repeated: send it once.');
  if (value !== 'true' && value !== 'false')
    throw badValue('_explain', `\`${value}\` is not a value for \`_explain\`: write \`true\` or \`false\`.`);
  return { explain: value === 'true', parameters: parameters.filter(([name]) => name !== '_explain') };
}
