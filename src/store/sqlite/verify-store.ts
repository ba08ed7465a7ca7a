import { isTold, type Told } from '../told-findings.ts';
import type { StoreFinding, StoreProgress } from '../transfer.ts';
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
 * Reads all that the file holds, or of one partition, and reports what is damaged: the file, versions of records, what
 * is kept beside them, index entries. What cannot be read is named as far as anything in the file names it, and the
 * rest is read all the same.
 */
export async function* verifyStore(core: Core, partition: string | undefined): AsyncIterable<StoreProgress> {
  const { database, path } = core;
  const told: Told = new Set();
  const fresh = (findings: readonly StoreFinding[]): readonly StoreFinding[] =>
    findings.filter(finding => !isTold(told, finding));
  let undigested = 0;
  database.endMoment();
  const places = readPlaces(database);
  const file = fileFindings(database, path, places);
  yield { step: 'file', checked: 1, of: 1, undigested, findings: fresh(file) };

  const work = { database, places, partition, isDamaged: file.length > 0 };
  const of = Number(attempt(() => database.get('SELECT sum(resources) FROM types')).value?.[0]) || 0;
  const before = lastWrites(database);
  const latest = new Map<number, number>();
  for (const [step, table] of [
    ['records', 'resources'],
    ['versions', 'versions'],
  ] as const) {
    let checked = 0;
    for await (const { findings, latest: last = [], ...more } of verifyRecords(work, table)) {
      checked += more.checked;
      undigested += more.undigested;
      for (const [n, time] of last) latest.set(n, Math.max(latest.get(n) ?? 0, time));
      yield { step, checked, of: step === 'records' ? of : undefined, undigested, findings: fresh(findings) };
    }
  }
  database.endMoment();
  if (!work.isDamaged) {
    const findings = timeFindings(before, latest, lastWrites(database), partition);
    yield { step: 'values', checked: 0, of: undefined, undigested, findings: fresh(findings) };
  }

  let values = 0;
  for await (const { checked, findings } of verifyValues(database)) {
    values += checked;
    yield { step: 'values', checked: values, of: undefined, undigested, findings: fresh(findings) };
  }
  for await (const { checked, findings } of verifyIndexes(core, places, partition))
    yield { step: 'indexes', checked, of: undefined, undigested, findings: fresh(findings) };
}

async function* verifyIndexes(
  core: Core,
  places: Places,
  partition: string | undefined,
): AsyncIterable<Pick<StoreProgress, 'checked' | 'findings'>> {
  const all = new Set([...places.values()].flatMap(place => place.partition ?? []));
  let before = 0;
  for (const id of partition === undefined ? all : [partition]) {
    const described = attempt(() => parameterFindings(core, id));
    const unread = (why: string): StoreFinding => ({ is: 'index', partition: id, what: 'all indexes', why });
    yield { checked: before, findings: described.value ?? [unread(`they cannot be read: ${described.failed}`)] };
    for (const type of core.options.model.types.keys()) {
      let checked = 0;
      try {
        for await (const step of verifyType(core, id, type)) {
          ({ checked } = step);
          yield { checked: before + checked, findings: step.findings };
        }
      } catch (error) {
        const why = `its indexes cannot be compared: ${error instanceof Error ? error.message : String(error)}`;
        const finding: StoreFinding = { is: 'index', partition: id, what: type, why };
        yield { checked: before + checked, findings: [finding] };
      }
      before += checked;
    }
  }
}

interface LastWrite {
  readonly id: string;
  readonly time: unknown;
}

/** When each partition, by number, says that it was written last. */
function lastWrites(database: Database): ReadonlyMap<number, LastWrite> {
  const rows =
    attempt(() => database.all('SELECT n, id, last_updated FROM partitions WHERE id IS NOT NULL')).value ?? [];
  return new Map(rows.map(([n, id, time]) => [Number(n), { id: String(id), time }]));
}

/**
 * The last write of a partition is that of its latest record: the next one is to be later. `latest` was read between
 * the others.
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
    return [{ is: 'value', partition: id, what: 'time of the last write', why: 'it is not that of the latest record' }];
  });
}
