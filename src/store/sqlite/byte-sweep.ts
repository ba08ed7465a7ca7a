import { type BytesFolder, bytesFolders, dueBytes } from './attachment-sweep.ts';
import { type Core, submit } from './core.ts';

/** How often a server sweeps, in milliseconds. */
const hour = 3_600_000;

/**
 * Takes away, now and then and in slices, bytes that got no record: a write that was refused or repeated leaves them.
 */
export class ByteSweep {
  readonly #core: Core;
  readonly #every: number;
  #next: number;
  #folders: BytesFolder[];

  /** `unswept` is what the start has left. The first round comes after `every` milliseconds. */
  constructor(core: Core, unswept: readonly BytesFolder[], every: number = hour) {
    this.#core = core;
    this.#every = every;
    this.#next = performance.now() + every;
    this.#folders = [...unswept];
  }

  /** Sweeps one folder; false where nothing is due. */
  async step(): Promise<boolean> {
    const { database, path } = this.#core;
    if (this.#folders.length === 0) {
      if (performance.now() < this.#next) return false;
      this.#next = performance.now() + this.#every;
      this.#folders = [...bytesFolders(database, path)];
    }
    const folder = this.#folders.pop();
    if (folder === undefined) return false;
    const due = dueBytes(database, path, folder);
    if (due !== undefined) await submit(this.#core, () => ({ kind: 'sweepBytes', due }));
    return true;
  }
}
