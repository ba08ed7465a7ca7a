import { type BytesFolder, bytesFolders, dueBytes } from './attachment-sweep.ts';
import { type Core, submit } from './core.ts';

/** How often a server sweeps, in milliseconds. */
const hour = 3_600_000;

/** Removes, periodically and in slices, attachments without a record: a rejected or repeated write leaves them. */
export class ByteSweep {
  readonly #core: Core;
  readonly #every: number;
  #next: number;
  #folders: BytesFolder[];

  /** `unswept` are the folders that the start has left. The first round comes after `every` milliseconds. */
  constructor(core: Core, unswept: readonly BytesFolder[], every: number = hour) {
    this.#core = core;
    this.#every = every;
    this.#next = performance.now() + every;
    this.#folders = [...unswept];
  }

  /** Sweeps one folder; false if nothing is due. */
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
