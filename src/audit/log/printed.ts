import type { AuditEntry } from './entry.ts';

/** A line of a chain, by its digest. */
export interface Link {
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
}

/** What stands in a line beside its digest and its number. */
export type Said = { readonly before: readonly Link[] } | { readonly pruned: string } | AuditEntry;

/**
 * What lines are to say, printed into memory outside the heap: thousands of events wait for a moment each second, and there they
 * cost the garbage collector nothing.
 */
export class PrintedLines {
  #bytes: Buffer = Buffer.allocUnsafe(usual);
  /** Where each ends. */
  #ends: number[] = [];

  static of(said: readonly Said[]): PrintedLines {
    const lines = new PrintedLines();
    for (const one of said) lines.add(one);
    return lines;
  }

  get count(): number {
    return this.#ends.length;
  }

  /** In bytes. */
  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  add(said: Said): void {
    const text = textOf(said);
    const from = this.length;
    this.#reserve(from + 3 * text.length);
    this.#ends.push(from + this.#bytes.write(text, from));
  }

  addAll(others: PrintedLines): void {
    const from = this.length;
    const length = others.length;
    this.#reserve(from + length);
    others.#bytes.copy(this.#bytes, from, 0, length);
    for (const end of others.#ends) this.#ends.push(from + end);
  }

  /** What each says, in turn, as a part of what is printed here. */
  forEach(visit: (bytes: Buffer, start: number, end: number) => void): void {
    let start = 0;
    for (const end of this.#ends) {
      visit(this.#bytes, start, end);
      start = end;
    }
  }

  /** Begins anew, with the memory that it has, if that is not more than usual. */
  clear(): void {
    this.#ends = [];
    if (this.#bytes.length > most) this.#bytes = Buffer.allocUnsafe(usual);
  }

  #reserve(length: number): void {
    if (length > this.#bytes.length) this.#bytes = grown(this.#bytes, this.length, length);
  }
}

/** Bytes: a few events; and those of a second. */
const usual = 2048;
const most = 4 * 1024 * 1024;

/** A larger buffer that begins with the first `kept` bytes of one, and holds at least `length`. */
export function grown(bytes: Buffer, kept: number, length: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * bytes.length, length));
  bytes.copy(larger, 0, 0, kept);
  return larger;
}

/** What stands before the event: no string holds it, since quotes in strings are escaped. */
export const eventStart = ',"event":';

function textOf(said: Said): string {
  if ('before' in said) return `"before":${JSON.stringify(said.before)}}`;
  if ('pruned' in said) return `"pruned":${JSON.stringify(said.pruned)}}`;
  const { recorded, partition, client, patients, text } = said;
  const of = partition === undefined ? '' : `,"partition":${JSON.stringify(partition)}`;
  const by = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
  const about = patients.length === 0 ? '' : `,"patients":${JSON.stringify(patients)}`;
  return `"at":${recorded}${of}${by}${about}${eventStart}${text}}`;
}
