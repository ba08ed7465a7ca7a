import { type BytesFolder, bytesFolders, looseBytes } from './attachment-sweep.ts';
import { type Core, submit } from './core.ts';

/** How long bytes may wait for their record while a server runs, in milliseconds. */
export const grace = 3_600_000;

/** How much later than the clock of files ours may be, in milliseconds. */
const lag = 1_000;

/** Takes away, now and then and in slices, bytes that got no record: a write that was refused or repeated leaves them. */
export class ByteSweep {
  readonly #core: Core;
  readonly #every: number;
  #next: number;
  #folders: BytesFolder[];
  #before: number;

  /** `unswept` is what the start has left: bytes from before it go now. The first round comes after `every` milliseconds. */
  constructor(core: Core, unswept: readonly BytesFolder[], every: number = grace) {
    this.#core = core;
    this.#every = every;
    this.#next = performance.now() + every;
    this.#folders = [...unswept];
    // The clock of the machine, since it is compared with the times of files.
    this.#before = Date.now() - lag;
  }

  /** Sweeps one folder; false where nothing is due. */
  async step(): Promise<boolean> {
    if (this.#folders.length === 0) {
      if (performance.now() < this.#next) return false;
      this.#next = performance.now() + this.#every;
      this.#folders = [...bytesFolders(this.#core.path)];
      this.#before = Date.now() - grace;
    }
    const folder = this.#folders.pop();
    if (folder === undefined) return false;
    const before = this.#before;
    const names = looseBytes(this.#core.database, this.#core.path, folder);
    if (names.length > 0) await submit(this.#core, () => ({ kind: 'dropBytes', folder, names, before }));
    return true;
  }
}
