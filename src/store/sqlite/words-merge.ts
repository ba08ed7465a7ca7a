import { type Core, submit, valueOf } from './core.ts';
import { wordsState } from './words-table.ts';

/** How long after a merge the next one begins, in milliseconds: writes that continue are merged by FTS5 itself. */
const rest = 60_000;

/**
 * Merges the segments of the words in the background: a lookup of one record searches each of them, 13 after an index
 * was built. Nothing is stored about it, since a merge of merged segments ends at once.
 */
export class WordsMerge {
  readonly #core: Core;
  #merged: string | undefined;
  #isMerging = false;
  #next = -Infinity;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Merges a part; false if nothing is left, or it is too early. */
  async step(): Promise<boolean> {
    if (!this.#isMerging && performance.now() < this.#next) return false;
    const state = wordsState(this.#core.database);
    if (state === undefined || state === this.#merged) return false;
    const more = valueOf(await submit(this.#core, () => ({ kind: 'mergeWords' }))) === 1;
    if (this.#isMerging && !more) this.#next = performance.now() + rest;
    this.#isMerging = more;
    if (!more) this.#merged = wordsState(this.#core.database);
    return more;
  }
}
