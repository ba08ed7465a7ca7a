import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { ownerOnly } from '../store/files/durable.ts';
import { type Issue, operationOutcome } from '../fhir/outcome.ts';

/** A rejected record. */
export interface Reject {
  readonly file: string;
  /** `line 12`, `entry 3`; empty for the whole file. */
  readonly at: string;
  readonly issues: readonly Issue[];
  /** Its text as received; undefined if there is none. */
  readonly bytes: Uint8Array | undefined;
}

/** Maximum length of a text in the file of rejects; a longer one is found by its place. */
const longest = 1024 * 1024;

/**
 * The file of rejects: NDJSON with `file`, `at`, `outcome` (an OperationOutcome) and `record` (the received text, as a
 * string). It is created with the first reject; an interrupted load that continues appends to it.
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
    // It may contain patients' data: for the owner only.
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

/** Throws Error if the file of rejects exists with other content. */
export function requireRejects(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return;
  const start = Buffer.alloc(opening.length);
  const file = openSync(path, 'r');
  readSync(file, start);
  closeSync(file);
  if (start.toString() === opening) return;
  throw new Error(`\`${path}\` has other content than rejected records: choose another file.`);
}

/** The beginning of each line. */
const opening = '{"file":';
