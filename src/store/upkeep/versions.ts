import { setImmediate } from 'node:timers/promises';
import { versionOrder } from '../record/versions.ts';
import type {
  HistoryScope,
  KeptVersion,
  MomentPage,
  MomentRecord,
  MomentScope,
  VersionKey,
  VersionScope,
} from '../port/transfer.ts';

/** What a store reads of the versions of a partition. */
export interface VersionDriver {
  /** Types with stored records, tombstones too, also those that the definitions do not declare; in order. */
  types(): Promise<readonly string[]>;
  /** All versions of the records of a type whose ids come after one, by id, then version. */
  versions(type: string, after: string): AsyncIterable<KeptVersion>;
  /** The keys of the next versions in the order of time, in any order; others may be among them, also twice. */
  keys(scope: HistoryScope): Promise<readonly VersionKey[]>;
  /** The versions with these keys, in their order, without those that do not exist. */
  at(keys: readonly VersionKey[]): AsyncIterable<KeptVersion>;
  /** The next current versions of a type by id, tombstones too; not too many to be in memory. */
  current(
    type: string,
    after: string,
  ): Promise<{ readonly versions: readonly KeptVersion[]; readonly isLast: boolean }>;
  /** The last versions of records, tombstones too, up to a time, in milliseconds since 1970 UTC. */
  until(type: string, ids: readonly string[], time: number): Promise<readonly KeptVersion[]>;
}

/** The versions of a partition in the scope: by type, then id, then version, or in the order of time. */
export async function* exportVersions(
  driver: VersionDriver,
  scope: VersionScope | HistoryScope = {},
): AsyncIterable<KeptVersion> {
  if ('order' in scope) yield* walk(driver, scope);
  else {
    const { type: only, after } = scope;
    for (const type of only === undefined ? await driver.types() : [only])
      if (after === undefined || type >= after.type) yield* driver.versions(type, after?.type === type ? after.id : '');
  }
}

/** Walks in slices: the keys of a slice are merged and sorted, then their versions are read. */
async function* walk(driver: VersionDriver, scope: HistoryScope): AsyncIterable<KeptVersion> {
  const order = versionOrder(scope.order);
  const { from = -Infinity, to = Infinity } = scope;
  for (let { after } = scope; ;) {
    const keys = new Map<string, VersionKey>();
    for (const key of await driver.keys({ ...scope, after })) {
      const { type, id, version, lastUpdated } = key;
      const isIn = lastUpdated >= from && lastUpdated <= to && (after === undefined || order(key, after) > 0);
      if (isIn) keys.set(`${type}/${id}/${version}`, key);
    }
    const next = [...keys.values()].sort(order).slice(0, scope.slice);
    yield* driver.at(next);
    if (next.length < scope.slice) return;
    after = next.at(-1);
  }
}

/** The records of a type at a moment, in pages. */
export function recordsAt(driver: VersionDriver, scope: MomentScope): AsyncIterable<MomentPage> {
  if (scope.ids !== undefined) return someAt(driver, scope, scope.ids);
  return scope.since === undefined ? allAt(driver, scope) : changedAt(driver, scope, scope.since);
}

async function* someAt(
  driver: VersionDriver,
  { type, moment }: MomentScope,
  ids: readonly string[],
): AsyncIterable<MomentPage> {
  const records = (await untilOf(driver, type, ids, moment)).filter(({ text }) => text !== undefined);
  yield { records, end: { id: records.at(-1)?.id ?? '' } };
}

/** All that were not deleted: a record that was changed since has the version of then. */
async function* allAt(driver: VersionDriver, { type, moment, after }: MomentScope): AsyncIterable<MomentPage> {
  for (let from = after?.id ?? ''; ;) {
    const { versions, isLast } = await driver.current(type, from);
    const later = versions.filter(({ lastUpdated }) => lastUpdated > moment).map(({ id }) => id);
    const former = new Map((await untilOf(driver, type, later, moment)).map(one => [one.id, one]));
    const records = versions.flatMap(one => (one.lastUpdated > moment ? (former.get(one.id) ?? []) : one));
    from = versions.at(-1)?.id ?? from;
    if (versions.length > 0) yield { records: records.filter(({ text }) => text !== undefined), end: { id: from } };
    if (isLast) return;
    await setImmediate();
  }
}

/** Versions of one page, and the slice of their walk. */
const changesOnPage = 100;

/**
 * Records that changed after `since`, by the versions that were written between: each is the state of its record at the
 * moment unless another one follows it there.
 */
async function* changedAt(
  driver: VersionDriver,
  { type, moment, after }: MomentScope,
  since: number,
): AsyncIterable<MomentPage> {
  const scope = { order: 'oldest', of: [{ type }], from: since + 1, to: moment, slice: changesOnPage } as const;
  let page: KeptVersion[] = [];
  for await (const version of walk(driver, { ...scope, after: after?.version })) {
    page.push(version);
    if (page.length < changesOnPage) continue;
    yield* changesOf(driver, type, moment, page);
    page = [];
    await setImmediate();
  }
  yield* changesOf(driver, type, moment, page);
}

async function* changesOf(
  driver: VersionDriver,
  type: string,
  moment: number,
  versions: readonly KeptVersion[],
): AsyncIterable<MomentPage> {
  const last = versions.at(-1);
  if (last === undefined) return;
  const ids = Array.from(new Set(versions.map(({ id }) => id)));
  const states = new Map((await untilOf(driver, type, ids, moment)).map(one => [one.id, one.version]));
  const records: MomentRecord[] = [];
  for (const one of versions.filter(({ id, version }) => states.get(id) === version))
    records.push(one.text === undefined ? { ...one, before: await beforeOf(driver, one) } : one);
  const { lastUpdated, id, version } = last;
  yield { records, end: { id, version: { lastUpdated, type, id, version } } };
}

const untilOf = (driver: VersionDriver, type: string, ids: readonly string[], time: number) =>
  ids.length === 0 ? [] : driver.until(type, ids, time);

const beforeOf = async (driver: VersionDriver, { type, id, lastUpdated }: KeptVersion) =>
  (await driver.until(type, [id], lastUpdated - 1)).find(({ text }) => text !== undefined);
