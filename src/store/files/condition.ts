import type { WriteRelay } from '../server/relay.ts';
import type { Failure } from './failures.ts';

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
