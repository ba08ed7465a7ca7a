import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { ownerOnly } from '../store/file-mode.ts';
import { type Issue, operationOutcome } from '../fhir/outcome.ts';

/** A record that was not loaded. */
export interface Reject {
  readonly file: string;
  /** `line 12`, `entry 3`; empty for the whole file. */
  readonly at: string;
  readonly issues: readonly Issue[];
  /** Its text as it came; undefined where there is none. */
  readonly bytes: Uint8Array | undefined;
}

/** Longest text that is repeated among the rejects; a longer one is found by its place. */
const longest = 1024 * 1024;

/**
 * The file of rejects: NDJSON with `file`, `at`, `outcome` (an OperationOutcome) and `record` (the text that was sent, as a
 * string). It is made when the first reject comes; an interrupted load that goes on adds to it.
 */
export class Rejects {
  readonly #path: string;
  readonly #append: boolean;
  #file: number | undefined;

  constructor(path: string, append: boolean) {
    this.#path = path;
    this.#append = append;
  }

  add({ file, at, issues, bytes }: Reject): void {
    // It may hold what patients said: for the owner only.
    this.#file ??= openSync(this.#path, this.#append ? 'a' : 'w', ownerOnly.file);
    const record =
      bytes === undefined || bytes.length > longest
        ? undefined
        : Buffer.from(bytes).toString('utf8').replace(/\r$/, '');
    writeSync(this.#file, `${JSON.stringify({ file, at, outcome: operationOutcome(issues), record })}\n`);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** Throws Error where a file of rejects would take the place of something else. */
export function requireRejects(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return;
  const start = Buffer.alloc(opening.length);
  const file = openSync(path, 'r');
  readSync(file, start);
  closeSync(file);
  if (start.toString() === opening) return;
  throw new Error(`\`${path}\` holds something else than rejected records: name another file for these.`);
}

/** How each line begins. */
const opening = '{"file":';
