import { restrict, restriction } from '../../../auth/restrict.ts';
import { requireScope } from '../../../auth/may.ts';
import { badValue, fhirError } from '../../../fhir/error.ts';
import { asObject, asString } from '../../../fhir/json-object.ts';
import { TextDamaged, parseStored } from '../../../fhir/stored-text.ts';
import type { ResourceType, SearchParam } from '../../../model/model.ts';
import type { Position } from '../../../search/ast.ts';
import { searchUrl, searchset } from '../../../search/bundle.ts';
import { parseSearch } from '../../../search/parse/search.ts';
import type { QueryPair, SearchRequest } from '../../../search/request.ts';
import { joinedTypes } from '../../../search/walk.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import type { StoredVersion } from '../../../store/port/records.ts';
import { declaredType } from '../../declared.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { refusePending } from '../../pending.ts';
import { refuseCostly, withDeadline } from '../../search/deadline.ts';
import { entriesOf } from '../../search/entries.ts';
import { withExpansions } from '../../search/search.ts';
import { findPage } from '../../search/find.ts';
import { include } from '../../search/include.ts';
import { indexedBy } from '../../search/joined.ts';
import type { Place } from '../../search/joined.ts';
import { readArgumentsBesideSearch } from '../arguments.ts';

/**
 * `$lastn`: of the records that a search finds, the latest of each code, by the search parameters `code` and `date`.
 * https://hl7.org/fhir/R4/observation-operation-lastn.html
 */
export const lastn: Interaction = async (engine, request, partition) => {
  const { model, extract } = engine;
  const { base, access } = request;
  const type = declaredType(model, request);
  const { given, others } = readArgumentsBesideSearch(engine, request);
  const max = given.number('max') ?? 1;
  const asked = await parse(engine, type, request, partition, others);
  const limited = () => ({ partition: withDeadline(partition, engine.searchDeadline), extract, base, model, access });
  const found = await refuseCostly(latest(asked, max, limited()));
  const beside = await refuseCostly(include(found, asked.includes, limited()));
  const matches = await entriesOf(found, asked, model);
  const included = await entriesOf(beside.records, asked, model);
  const damaged = [...matches.damaged, ...included.damaged];
  if (damaged.length > 0) engine.fault(new TextDamaged(), request.requestId);
  const used = asked.self.filter(([name]) => name !== '_sort');
  const body = searchset({
    self: searchUrl(base, `${type.name}/$lastn`, [['max', String(max)], ...used]),
    place: `${base}/${type.name}/`,
    entries: matches.entries,
    included: included.entries.map(entry => ({ ...entry, place: `${base}/${entry.type}/` })),
    warnings: [...asked.warnings, ...beside.warnings, ...damaged],
  });
  return { status: 200, body, records: [...matches.records, ...included.records] };
};

/** Controls of a search that have no meaning here. */
const refused = ['_sort', '_count', '_total', '_page_token', '_contained', '_containedType'];

/** The search, newest first, among what the caller may see. Throws FhirError as a search does. */
async function parse(
  engine: Engine,
  type: ResourceType,
  { base, access, handling }: FhirRequest,
  partition: Partition,
  pairs: readonly QueryPair[],
): Promise<SearchRequest> {
  const { model, store } = engine;
  const wrong = pairs.find(([name]) => refused.includes(name));
  if (wrong !== undefined) throw badValue(wrong[0], `\`${wrong[0]}\` cannot be used with \`$lastn\`: omit it.`);
  const context = { model, base, zone: partition.settings.zone, handling, now: engine.now(), joins: true } as const;
  const inOrder: readonly QueryPair[] = [...pairs, ['_sort', '-date']];
  const given = await withExpansions(engine, partition, async expansions =>
    parseSearch(type, inOrder, { ...context, expansions }),
  );
  for (const { name } of joinedTypes(given.query))
    requireScope(access, model, { interaction: 'search-type', resourceType: name }, base);
  const query = restrict(access, type, 's', given.query);
  const seesAll = (one: ResourceType): boolean => restriction(access, one, 's').kind === 'all';
  await refusePending(store.indexes, partition.id, { ...given, query, count: 1 }, seesAll);
  return { ...given, query };
}

/** Records that are read for one answer at most. */
const mostRead = 20_000;

/** The latest records of each code. Throws FhirError 403 `too-costly` for too many. */
async function latest(asked: SearchRequest, max: number, place: Place): Promise<readonly StoredVersion[]> {
  const { type, query, sort } = asked;
  const code = type.parameters.get('code');
  if (code === undefined) throw new Error('The type has no parameter `code`');
  const groups = createGroups(max);
  let read = 0;
  let after: Position | undefined;
  do {
    const { versions, next } = await findPage({ type, query, sort, limit: 500, after }, place);
    if ((read += versions.length) > mostRead) throw tooCostly(`More than ${mostRead} records match.`);
    for (const [at, { entries }] of indexedBy([code], versions, type, place).entries()) {
      const record = versions[at];
      if (record === undefined) continue;
      const keys = entries.flatMap(({ value }) =>
        value.kind === 'token' ? [JSON.stringify([value.system, value.code])] : [],
      );
      groups.add(record, keys.length > 0 ? keys : textKeys(record, code));
    }
    after = next;
  } while (after !== undefined);
  const found = groups.read().flat();
  const most = type.pageSize.max;
  if (found.length > most) throw tooCostly(`More than ${most} records are the latest of their code.`);
  return found;
}

const tooCostly = (what: string) =>
  fhirError(403, 'too-costly', `${what} Narrow the search, by a patient, a category or codes, or lower \`max\`.`);

/** The key of a code that has a text only: records with the same text belong together. */
function textKeys({ text = '{}' }: StoredVersion, { expression }: SearchParam): readonly string[] {
  const element = /^\w+\.(\w+)$/.exec(expression)?.[1];
  if (element === undefined) return [];
  try {
    const found = asString(asObject(asObject(parseStored(text))[element])['text']);
    return found === undefined ? [] : [JSON.stringify([found.trim().toLowerCase()])];
  } catch (error) {
    if (error instanceof TextDamaged) return [];
    throw error;
  }
}

/** The latest records of each group, while records are added in the order of the newest first. */
interface Groups {
  /** `keys` are those of the codings of the record: records with a common one belong together, and so on. */
  add(record: StoredVersion, keys: readonly string[]): void;
  /** The groups in the order of their newest records, each with the newest first. */
  read(): readonly (readonly StoredVersion[])[];
}

interface Group {
  /** The group into which it was merged. */
  into: Group | undefined;
  /** Records with their place in the order, the newest first. */
  latest: readonly { readonly at: number; readonly record: StoredVersion }[];
}

/**
 * Groups records by equivalent codings, at most `max` records in a group: a record with two codings joins the groups of
 * both. A record without any is a group of its own. https://hl7.org/fhir/R4/observation-operation-lastn.html
 */
function createGroups(max: number): Groups {
  const byKey = new Map<string, Group>();
  const groups = new Set<Group>();
  let count = 0;
  const rootOf = (group: Group): Group => {
    let root = group;
    while (root.into !== undefined) root = root.into;
    return root;
  };
  const merge = (group: Group, other: Group): void => {
    if (group === other) return;
    other.into = group;
    groups.delete(other);
    group.latest = [...group.latest, ...other.latest].toSorted((a, b) => a.at - b.at).slice(0, max);
    other.latest = [];
  };
  return {
    add(record, keys) {
      const known = keys.flatMap(key => byKey.get(key) ?? []).map(rootOf);
      const [group = { into: undefined, latest: [] }, ...others] = known;
      groups.add(group);
      for (const other of others) merge(group, rootOf(other));
      if (group.latest.length < max) group.latest = [...group.latest, { at: count, record }];
      for (const key of keys) byKey.set(key, group);
      count += 1;
    },
    read: () =>
      [...groups]
        .toSorted((a, b) => (a.latest[0]?.at ?? 0) - (b.latest[0]?.at ?? 0))
        .map(({ latest }) => latest.map(({ record }) => record)),
  };
}
