import type { Failure } from './failures.ts';

/** How long a read that failed counts as a problem, in milliseconds. SQLite calls some I/O errors damage, so that this passes too. */
const recent = 600_000;

/** What works and what does not in a store that is open: sentences without ids or paths. */
export class Condition {
  #writing: string | undefined;
  #checkpoint: string | undefined;
  #lost: string | undefined;
  #reading: { readonly summary: string; readonly at: number } | undefined;

  readFailed({ summary }: Failure): void {
    this.#reading = { summary, at: performance.now() };
  }

  writeFailed({ summary }: Failure): void {
    this.#writing = summary;
  }

  /** A commit is on the disk. */
  written(): void {
    this.#writing = undefined;
  }

  /** `undefined`: it works. */
  checkpoint(failure: Failure | undefined): void {
    this.#checkpoint = failure?.summary;
  }

  /** `undefined`: the file is where it was. */
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
