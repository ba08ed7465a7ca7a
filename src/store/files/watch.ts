import { statSync } from 'node:fs';
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
