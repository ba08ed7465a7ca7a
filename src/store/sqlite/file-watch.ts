import { statSync } from 'node:fs';
import type { Failure } from './failures.ts';

/** Which files were opened, by path; undefined where one was not there yet. */
export type WatchedFiles = readonly (readonly [path: string, identity: string | undefined])[];

/** The files of a store as they are now. */
export const watchedFiles = (path: string): WatchedFiles => [path, `${path}-wal`].map(name => [name, identityOf(name)]);

/**
 * Notices that the file of a store, or its WAL, was removed or replaced while it is open: what is written then goes into a file
 * without a name and is lost when the process ends. https://sqlite.org/howtocorrupt.html#unlink
 */
export class FileWatch {
  readonly #known: Map<string, string | undefined>;

  constructor(files: WatchedFiles) {
    this.#known = new Map(files);
  }

  /** What happened and what to do about it; undefined where the files are those that were opened. */
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
      `\`${name}\` ${happened}, so that nothing is written. ` +
      'Put back the file that was opened, or restart the server on the right one.',
    summary: `Writing fails: the file of the store ${happened}.`,
  };
}

/** Which file a path names; undefined where none can be found. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
