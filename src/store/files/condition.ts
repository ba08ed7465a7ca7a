import { statSync } from 'node:fs';
import type { WriteRelay } from '../server/relay.ts';
import type { Failure } from './failures.ts';

/** The opened files, by path; undefined for one that did not exist yet. */
export type WatchedFiles = readonly (readonly [path: string, identity: string | undefined])[];

/** The current files of a store. */
export const watchedFiles = (path: string): WatchedFiles => [path, `${path}-wal`].map(name => [name, identityOf(name)]);

/**
 * Detects that the file of a store, or its WAL, was removed or replaced while it is open: later writes would go into a
 * file without a name and be lost when the process ends. https://sqlite.org/howtocorrupt.html#unlink
 */
export class FileWatch {
  readonly #known: Map<string, string | undefined>;

  constructor(files: WatchedFiles) {
    this.#known = new Map(files);
  }

  /** The problem and its remedy; undefined if the files are those that were opened. */
  failure(): Failure | undefined {
    for (const [name, known] of this.#known) {
      const now = identityOf(name);
      if (known === undefined) this.#known.set(name, now);
      else if (now !== known) return lost(name, now);
    }
    return undefined;
  }
}

function lost(name: string, now: string | undefined): Failure {
  const happened = `was ${now === undefined ? 'removed' : 'replaced'} while the server runs`;
  return {
    reason: 'no-store',
    message:
      `\`${name}\` ${happened}, and writing has stopped. ` +
      'Put back the file that was opened, or restart the server on the right one.',
    summary: `Writing fails: the file of the store ${happened}.`,
  };
}

/** The identity of the file at a path; undefined if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/**
 * How long a failed read counts as a problem, in milliseconds. SQLite reports some I/O errors as damage, so that this
 * passes too.
 */
const recent = 600_000;

/** The condition of an open store: sentences without ids or paths. */
export class Condition {
  readonly #elsewhere: WriteRelay['failed'] | undefined;
  #writing: string | undefined;
  #checkpoint: string | undefined;
  #lost: string | undefined;
  #reading: { readonly summary: string; readonly at: number } | undefined;

  /** `elsewhere`: another process has the condition of the store. */
  constructor(elsewhere?: WriteRelay['failed']) {
    this.#elsewhere = elsewhere;
  }

  readFailed({ summary }: Pick<Failure, 'summary'>): void {
    if (this.#elsewhere !== undefined) return this.#elsewhere('read', summary);
    this.#reading = { summary, at: performance.now() };
  }

  writeFailed({ summary }: Pick<Failure, 'summary'>): void {
    if (this.#elsewhere !== undefined) return this.#elsewhere('write', summary);
    this.#writing = summary;
  }

  /** A commit is durable. */
  written(): void {
    this.#writing = undefined;
  }

  /** `undefined`: it works. */
  checkpoint(failure: Failure | undefined): void {
    this.#checkpoint = failure?.summary;
  }

  /** `undefined`: the file is in place. */
  lost(failure: Failure | undefined): void {
    this.#lost = failure?.summary;
  }

  problems(): readonly string[] {
    const reading =
      this.#reading !== undefined && performance.now() - this.#reading.at < recent ? this.#reading.summary : undefined;
    const all = [this.#lost, reading, this.#writing, this.#checkpoint];
    return [...new Set(all.filter(summary => summary !== undefined))];
  }
}
