import { setImmediate } from 'node:timers/promises';
import { printOwners } from '../keys/owners.ts';
import type { Mark } from '../port/records.ts';
import type { KeptVersion } from '../port/transfer.ts';
import { definingKeys } from '../record/changes.ts';
import { byResource, createdAmong, type VersionsOfOne } from '../record/versions.ts';
import { type Core, epochFor, partitionIndex } from './core.ts';
import type { PartitionIndex } from './dictionary.ts';
import type { PreparedRestore, RestoreJob } from './jobs.ts';
import type { Database } from './open.ts';
import { storedRows } from './prepare.ts';
import { rowsOf } from './rows.ts';

/** Number of resources after which the event loop gets a turn. */
const turn = 50;

/**
 * Does all work of restoring that needs no transaction: finds the missing versions, and extracts the entries of those
 * that become current. Throws Error if the versions of a resource are not adjacent and in order.
 */
export async function prepareRestore(
  core: Core,
  id: string,
  versions: readonly KeptVersion[],
  mark: Mark | undefined,
): Promise<RestoreJob> {
  const partition = partitionIndex(core, id);
  if (partition === undefined) throw new Error(`There is no partition \`${id}\``);
  const prepared: PreparedRestore[] = [];
  for (const [at, of] of byResource(versions).entries()) {
    if (at % turn === turn - 1) await setImmediate();
    const one = prepareResource(core, partition, of);
    if (one !== undefined) prepared.push(one);
  }
  const defines = definingKeys(prepared);
  return { kind: 'restore', n: partition.n, epoch: epochFor(core, partition), resources: prepared, mark, defines };
}

/** Undefined if all of it exists. */
function prepareResource(core: Core, partition: PartitionIndex, versions: VersionsOfOne): PreparedRestore | undefined {
  const { database, options } = core;
  const [{ type, id }] = versions;
  const index = partition.types.get(type);
  const t = index?.t ?? typeNumber(database, partition.n, type);
  const current = database.get('SELECT version, text FROM resources WHERE t = ? AND id = ?', [t, id]);
  const expected = Number(current?.[0] ?? 0);
  const there = versionsThere(database, t, id);
  const kept = new Set(there.map(({ version }) => version));
  const lacking = versions.filter(({ version }) => !kept.has(version));
  const last = lacking.at(-1);
  if (last === undefined) return undefined;
  const base = { t, type, id, declared: index !== undefined, expected, versions: lacking };
  const none = { ord: undefined, added: undefined, removed: undefined, owners: null };
  if (last.version < expected) return { ...base, ...none };
  if (index === undefined) return { ...base, ...none, ord: last.text === undefined ? undefined : last.lastUpdated };
  const zoned = { id: partition.id, zone: partition.settings.zone };
  const before = current?.[1];
  const removed = typeof before === 'string' ? storedRows(core, index, zoned, before) : undefined;
  if (last.text === undefined) return { ...base, ...none, removed };
  const entries = options.extract(index.type, last.text, zoned);
  const { rows: added, ord = createdAmong([...there, ...lacking]) } = rowsOf(index, entries);
  return { ...base, ord, added, removed, owners: printOwners(index.type, entries) };
}

/** The stored versions of a resource; the text of one that is no tombstone is left out. */
function versionsThere(database: Database, t: number, id: string) {
  const rows = database.all(
    ['resources', 'versions']
      .map(table => `SELECT version, last_updated, text IS NULL FROM ${table} WHERE t = ?1 AND id = ?2`)
      .join(' UNION ALL '),
    [t, id],
  );
  return rows.map(([version, lastUpdated, isRemoved]) => ({
    version: Number(version),
    lastUpdated: Number(lastUpdated),
    text: isRemoved === 1 ? undefined : '',
  }));
}

/** 0 if nothing of the type is stored. */
export function typeNumber(database: Database, n: number, type: string): number {
  return Number(database.get('SELECT t FROM types WHERE n = ? AND type = ?', [n, type])?.[0] ?? 0);
}
