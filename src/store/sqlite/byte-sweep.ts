import { type BytesFolder, bytesFolders, looseBytes } from './attachment-sweep.ts';
import { type Core, submit } from './core.ts';

/** How long bytes may wait for their record while a server runs, in milliseconds. */
export const grace = 3_600_000;

/** Takes away, now and then and in slices, bytes that got no record: a write that was refused or repeated leaves them. */
export class ByteSweep {
  readonly #core: Core;
  readonly #every: number;
  readonly #grace: number;
  #next: number;
  #folders: BytesFolder[] = [];

  /** The start has swept, so the first round comes when bytes can be old enough. Both in milliseconds. */
  constructor(core: Core, every: number = grace, age: number = grace) {
    this.#core = core;
    this.#every = every;
    this.#grace = age;
    this.#next = performance.now() + every;
  }

  /** Sweeps one folder; false where nothing is due. */
  async step(): Promise<boolean> {
    if (this.#folders.length === 0) {
      if (performance.now() < this.#next) return false;
      this.#next = performance.now() + this.#every;
      this.#folders = [...bytesFolders(this.#core.path)];
    }
    const folder = this.#folders.pop();
    if (folder === undefined) return false;
    const names = looseBytes(this.#core.database, this.#core.path, folder);
    // The clock of the machine, since it is compared with the times of files.
    const before = Date.now() - this.#grace;
    if (names.length > 0) await submit(this.#core, () => ({ kind: 'dropBytes', folder, names, before }));
    return true;
  }
}
