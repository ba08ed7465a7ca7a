import { recordDigest } from '../record-digest.ts';
import { versionFault } from '../version-fault.ts';
import { attachedTo } from './carried.ts';
import { type Core, submit } from './core.ts';
import type { Filled } from './jobs.ts';
import { storedVersion } from './row-values.ts';

/** Versions per slice: its commit stays short. */
const digestSlice = 50;

/** The tables of versions, current ones first: one that is replaced meanwhile is appended to the other. */
const tables = ['resources', 'versions'] as const;

/**
 * Adds digests to versions that an older engine wrote without one, in slices. Unreadable and damaged ones get none, so
 * that `verify` keeps reporting them.
 */
export class DigestFill {
  readonly #core: Core;
  readonly #after = { resources: -Infinity, versions: -Infinity };

  constructor(core: Core) {
    this.#core = core;
  }

  /** Processes one slice; false if nothing is left. */
  async step(): Promise<boolean> {
    for (const table of tables) {
      const rows = this.#core.database.all(
        `SELECT rowid FROM ${table} INDEXED BY ${table}_undigested WHERE digest IS NULL AND rowid > ? ` +
          'ORDER BY rowid LIMIT ?',
        [this.#after[table], digestSlice],
      );
      if (rows.length === 0) continue;
      const rowids = rows.map(([rowid]) => Number(rowid));
      const filled = rowids.flatMap(rowid => this.#digest(table, rowid) ?? []);
      if (filled.length > 0) await submit(this.#core, () => ({ kind: 'digests', table, rows: filled }));
      this.#after[table] = rowids.at(-1) ?? this.#after[table];
      return true;
    }
    return false;
  }

  #digest(table: (typeof tables)[number], rowid: number): Filled | undefined {
    const { database } = this.#core;
    try {
      const [t, n, type, ...row] =
        database.get(
          `SELECT t, n, type, id, version, last_updated, text FROM ${table} v CROSS JOIN types USING (t) ` +
            'WHERE v.rowid = ?',
          [rowid],
        ) ?? [];
      if (t === undefined) return undefined;
      const stored = storedVersion(String(type), row);
      if (versionFault(stored) !== undefined) return undefined;
      const attachments = attachedTo(database, Number(t), stored.id, stored.version);
      const digest = recordDigest(Number(n), { ...stored, attachments });
      return { rowid, version: stored.version, digest };
    } catch {
      return undefined; // it is in a damaged part of the file
    }
  }
}
