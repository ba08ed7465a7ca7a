import type { StoreFinding } from '../port/transfer.ts';
import type { Checked } from '../upkeep/indexes.ts';
import type { CheckedPart } from '../upkeep/verify.ts';
import type { Core } from './core.ts';
import { definitionsDigest, wantedIndexes } from './declared-indexes.ts';
import { coreIn } from './defining.ts';
import { registered } from './index-jobs.ts';
import type { Database } from './open.ts';
import { fileFindings, inFile } from './verify-file.ts';
import { verifyType } from './verify-indexes.ts';
import { readTypes, verifyRecords } from './verify-records.ts';
import { verifyValues } from './verify-values.ts';
import { attempt } from './walk-table.ts';

/**
 * Reads all data of the file, or of one partition, and reports damage: the file, versions of records, other data, index
 * entries. What cannot be read is reported, and what follows it in the same table or index is left out.
 */
export async function* partsOf(core: Core, partition: string | undefined): AsyncIterable<CheckedPart> {
  core.database.endMoment();
  yield* partsOfFile(core.database, core.path, partition);
  yield { step: 'indexes', read: verifyIndexes(core, partition) };
}

/** All checks that need no definitions. */
export async function* partsOfFile(database: Database, path: string, partition?: string): AsyncIterable<CheckedPart> {
  const file = fileFindings(database, path);
  yield { step: 'file', of: 1, read: one({ checked: 1, findings: file }) };
  const found = attempt(() => readTypes(database));
  if (found.failed !== undefined) {
    const findings = [inFile(`records cannot be checked, since types cannot be read: ${found.failed}`)];
    yield { step: 'records', read: one({ checked: 0, findings }) };
  } else {
    const work = { database, types: found.value, partition, latest: new Map<number, number>() };
    const before = lastWrites(database);
    const of = Number(attempt(() => database.get('SELECT sum(resources) FROM types')).value?.[0]) || 0;
    yield { step: 'records', of, read: verifyRecords(work, 'resources') };
    yield { step: 'versions', read: verifyRecords(work, 'versions') };
    database.endMoment();
    const findings = file.length > 0 ? [] : timeFindings(before, work.latest, lastWrites(database), partition);
    yield { step: 'values', read: one({ checked: 0, findings }) };
  }
  yield { step: 'values', read: verifyValues(database) };
}

/** A part that is read at once. */
async function* one(checked: Checked): AsyncIterable<Checked> {
  yield checked;
}

async function* verifyIndexes(core: Core, partition: string | undefined): AsyncIterable<Checked> {
  const all = attempt(() => core.database.all('SELECT id FROM partitions WHERE id IS NOT NULL')).value ?? [];
  for (const id of partition === undefined ? all.map(([id]) => String(id)) : [partition]) {
    const own = await coreIn(core, id).catch(() => core); // what cannot be read is reported below
    const described = attempt(() => parameterFindings(own, id));
    const why = `they cannot be read: ${described.failed}`;
    const unread = { is: 'index', partition: id, what: 'all indexes', why } as const;
    yield { checked: 0, findings: described.value ?? [unread] };
    for (const type of own.options.model.types.keys()) yield* verifyType(own, id, type);
  }
}

/**
 * The indexes of a partition whose description in the file differs from the definitions. Empty if other definitions
 * were registered last. Throws if it cannot be read.
 */
function parameterFindings({ database, options }: Core, partition: string): readonly StoreFinding[] {
  if (registered(database) !== definitionsDigest(options.model)) return [];
  const [n = null, settings] = database.get('SELECT n, settings FROM partitions WHERE id = ?', [partition]) ?? [];
  if (n === null) return [];
  const { zone } = JSON.parse(String(settings)) as { zone: string };
  return wantedIndexes(options.model, zone).flatMap(({ type, indexes }) => {
    const rows = database.all(
      `SELECT code, digest FROM parameters WHERE t = (SELECT t FROM types WHERE n = ? AND type = ?) ` +
        `AND state <> 'dropped'`,
      [n, type],
    );
    const kept = new Map(rows.map(([code, digest]) => [code, digest]));
    return indexes
      .filter(({ code, digest }) => kept.get(code) !== digest)
      .map(({ code }): StoreFinding => {
        const why = 'the description of its index in the file differs from the definitions';
        return { is: 'index', partition, what: `${type}?${code}`, why };
      });
  });
}

interface LastWrite {
  readonly id: string;
  readonly time: unknown;
}

/** The time of the last write of each partition, by number, as the file states it. */
function lastWrites(database: Database): ReadonlyMap<number, LastWrite> {
  const rows =
    attempt(() => database.all('SELECT n, id, last_updated FROM partitions WHERE id IS NOT NULL')).value ?? [];
  return new Map(rows.map(([n, id, time]) => [Number(n), { id: String(id), time }]));
}

/**
 * The last write of a partition is that of its latest record: the next one must be later. `latest` was read in between.
 */
function timeFindings(
  before: ReadonlyMap<number, LastWrite>,
  latest: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, LastWrite>,
  partition: string | undefined,
): readonly StoreFinding[] {
  const why = 'it differs from that of the latest record';
  return [...before].flatMap(([n, { id, time }]) => {
    const until = after.get(n)?.time;
    const last = latest.get(n) ?? 0;
    const isRight = typeof time === 'number' && typeof until === 'number' && time <= last && last <= until;
    if (isRight || until === undefined || (partition !== undefined && id !== partition)) return [];
    return [{ is: 'value', partition: id, what: 'time of the last write', why }];
  });
}
