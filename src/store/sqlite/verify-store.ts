import type { StoreFinding } from '../port/transfer.ts';
import { type Checked, type Part } from '../upkeep/report.ts';
import { attempt } from './attempt.ts';
import type { Core } from './core.ts';
import type { Database } from './open.ts';
import { type Places, readPlaces } from './places.ts';
import { fileFindings } from './verify-file.ts';
import { verifyType } from './verify-indexes.ts';
import { parameterFindings } from './verify-parameters.ts';
import { verifyRecords } from './verify-records.ts';
import { verifyValues } from './verify-values.ts';

/**
 * Reads all data of the file, or of one partition, and reports damage: the file, versions of records, other data, index
 * entries. Unreadable data is reported if anything in the file names it, and the rest is still read.
 */
export async function* partsOf(core: Core, partition: string | undefined): AsyncIterable<Part> {
  core.database.endMoment();
  const places = readPlaces(core.database);
  yield* partsOfFile(core.database, core.path, places, partition);
  yield { step: 'indexes', read: verifyIndexes(core, places, partition) };
}

/** All checks that need no definitions. */
export async function* partsOfFile(
  database: Database,
  path: string,
  places: Places,
  partition?: string,
): AsyncIterable<Part> {
  const file = fileFindings(database, path, places);
  yield { step: 'file', of: 1, read: one({ checked: 1, findings: file }) };
  const work = { database, places, partition, isDamaged: file.length > 0, latest: new Map<number, number>() };
  const of = Number(attempt(() => database.get('SELECT sum(resources) FROM types')).value?.[0]) || 0;
  const before = lastWrites(database);
  yield { step: 'records', of, read: verifyRecords(work, 'resources') };
  yield { step: 'versions', read: verifyRecords(work, 'versions') };
  database.endMoment();
  const findings = work.isDamaged ? [] : timeFindings(before, work.latest, lastWrites(database), partition);
  yield { step: 'values', read: one({ checked: 0, findings }) };
  yield { step: 'values', read: verifyValues(database) };
}

/** A part that is read at once. */
export async function* one(checked: Checked): AsyncIterable<Checked> {
  yield checked;
}

async function* verifyIndexes(core: Core, places: Places, partition: string | undefined): AsyncIterable<Checked> {
  const all = new Set([...places.values()].flatMap(place => place.partition ?? []));
  for (const id of partition === undefined ? all : [partition]) {
    const unread = (what: string, why: string): Checked => ({
      checked: 0,
      findings: [{ is: 'index', partition: id, what, why }],
    });
    const described = attempt(() => parameterFindings(core, id));
    yield described.failed === undefined
      ? { checked: 0, findings: described.value }
      : unread('all indexes', `they cannot be read: ${described.failed}`);
    for (const type of core.options.model.types.keys())
      try {
        yield* verifyType(core, id, type);
      } catch (error) {
        yield unread(type, `its indexes cannot be compared: ${error instanceof Error ? error.message : String(error)}`);
      }
  }
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
  return [...before].flatMap(([n, { id, time }]) => {
    const until = after.get(n)?.time;
    const last = latest.get(n) ?? 0;
    const isRight = typeof time === 'number' && typeof until === 'number' && time <= last && last <= until;
    if (isRight || until === undefined || (partition !== undefined && id !== partition)) return [];
    return [
      {
        is: 'value',
        partition: id,
        what: 'time of the last write',
        why: 'it differs from that of the latest record',
      },
    ];
  });
}
