import { setImmediate } from 'node:timers/promises';
import type { StoreFinding } from '../port/transfer.ts';
import { versionFinding } from '../record/faults.ts';
import type { Checked } from '../upkeep/indexes.ts';
import { attachedTo } from './attachments.ts';
import type { Database, Row } from './open.ts';
import { reasonOf, walkTable } from './walk-table.ts';

/** Versions in memory. */
const versionSlice = 50;

/** A type by its number: its name and its partition. */
export interface NumberedType {
  readonly n: number;
  /** Undefined if the file does not have it. */
  readonly partition: string | undefined;
  readonly type: string;
  /** The partition is being removed: its content is obsolete. */
  readonly isRemoved: boolean;
}

/** The types of all partitions, by number. Throws the error of the read. */
export function readTypes(database: Database): ReadonlyMap<number, NumberedType> {
  const rows = database.all(
    'SELECT t, types.n, type, id, partitions.n IS NOT NULL AND id IS NULL FROM types LEFT JOIN partitions USING (n)',
  );
  return new Map(
    rows.map(([t, n, type, id, isRemoved]) => [
      Number(t),
      {
        n: Number(n),
        type: String(type),
        partition: typeof id === 'string' ? id : undefined,
        isRemoved: isRemoved === 1,
      },
    ]),
  );
}

export interface VerifyRecords {
  readonly database: Database;
  readonly types: ReadonlyMap<number, NumberedType>;
  /** The partition; undefined for all. */
  readonly partition: string | undefined;
  /** Receives the latest `last_updated` by partition number. */
  readonly latest: Map<number, number>;
}

/** Compares all versions of a table, current ones or older ones, with their digests, up to the first unreadable one. */
export async function* verifyRecords(work: VerifyRecords, table: 'resources' | 'versions'): AsyncIterable<Checked> {
  const { database, types, latest } = work;
  const rest = ['t', 'id', 'version', 'last_updated', 'text', 'digest'];
  try {
    for (const rows of walkTable(database, { from: `${table} NOT INDEXED`, key: ['rowid'], rest }, versionSlice)) {
      const meant = rows.filter(([, t]) => isMeant(work, Number(t)));
      for (const [, t, , , lastUpdated] of meant) {
        const n = types.get(Number(t))?.n;
        if (n !== undefined) latest.set(n, Math.max(latest.get(n) ?? 0, Number(lastUpdated)));
      }
      yield { checked: meant.length, findings: meant.flatMap(row => findingOf(work, table, row) ?? []) };
      await setImmediate();
      database.endMoment();
    }
  } catch (error) {
    const why = `rows of \`${table}\` cannot be read: ${reasonOf(error)}`;
    yield { checked: 0, findings: [{ is: 'file', partition: undefined, what: '-', why }] };
  }
}

/** For all partitions, also rows without a known partition. */
function isMeant({ types, partition }: VerifyRecords, t: number): boolean {
  const type = types.get(t);
  return partition === undefined ? type?.isRemoved !== true : type?.partition === partition;
}

function findingOf(
  { database, types }: VerifyRecords,
  table: 'resources' | 'versions',
  [rowid, t, id, version, lastUpdated, text, digest]: Row,
): StoreFinding | undefined {
  const known = types.get(Number(t));
  const record = `${known?.type ?? `type ${t}`}/${id}`;
  const what = table === 'resources' ? record : `${record}/_history/${version}`;
  const found = (is: StoreFinding['is'], why: string): StoreFinding => ({ is, partition: known?.partition, what, why });
  const isShaped =
    typeof t === 'number' &&
    typeof id === 'string' &&
    typeof version === 'number' &&
    typeof lastUpdated === 'number' &&
    (text === null || typeof text === 'string') &&
    typeof digest === 'string';
  if (!isShaped) return found('altered', `row ${rowid} has values that no record has`);
  if (known === undefined) return found('altered', `row ${rowid} has an unknown type`);
  const attachments = attachedTo(database, t, id, version);
  const kept = { type: known.type, id, version, lastUpdated, text: text ?? undefined, attachments };
  const wrong = versionFinding(known.n, kept, digest);
  return wrong && found(wrong.is, wrong.why);
}
