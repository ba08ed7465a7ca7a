import type { Link } from './printed.ts';
import { hash } from 'node:crypto';
import type { AuditEntry } from './entry.ts';
import { eventStart, grown } from './printed.ts';
import type { PrintedLines } from './printed.ts';

/** What one line of a chain says; `content` is what its digest is made of, together with the digest of the line before. */
export interface Line {
  readonly hash: string;
  readonly content: string;
  readonly n: number;
  /** An event. */
  readonly entry: AuditEntry | undefined;
  /** Where other chains ended when this one began: in its first line. */
  readonly before: readonly Link[];
  /** The days before this one were dropped. */
  readonly pruned: string | undefined;
}

/** Lines of a chain as they are kept, each with its end. */
export interface Lines {
  readonly bytes: Uint8Array;
  /** Each without its end. */
  texts(): readonly string[];
}

/** What lines are printed into, one after the other; it may be used again for others when they are kept. */
export class LinePrinter {
  #bytes: Buffer = Buffer.alloc(usual);
  #length = 0;

  /** Adds lines, JSON that begins with the digest of what follows and of the line before, and gives that of the last. */
  print(n: number, said: PrintedLines, before: string): string {
    let [number, digest] = [n, before];
    said.forEach((bytes, start, end) => (digest = this.#print(number++, bytes, start, end, digest)));
    return digest;
  }

  #print(n: number, said: Buffer, start: number, saidEnd: number, before: string): string {
    const number = `"n":${n},`;
    // The digest of the line before stands for a moment where that of this line comes: they are digested together.
    const from = this.#length + contentAt;
    const saidAt = from + number.length;
    const end = saidAt + saidEnd - start;
    if (end >= this.#bytes.length) this.#bytes = grown(this.#bytes, this.#length, end + 1);
    this.#bytes.write(before + number, from - before.length, 'latin1');
    said.copy(this.#bytes, saidAt, start, saidEnd);
    const digest = hash('sha256', this.#bytes.subarray(from - before.length, end), 'base64url');
    this.#bytes.write(`${head}${digest}",`, this.#length, 'latin1');
    this.#bytes[end] = newline;
    this.#length = end + 1;
    return digest;
  }

  /** What was printed, until it begins anew. */
  lines(): Lines {
    const bytes = this.#bytes.subarray(0, this.#length);
    return { bytes, texts: () => bytes.toString('utf8').split('\n').slice(0, -1) };
  }

  /** Begins anew. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > 4 * usual) this.#bytes = Buffer.alloc(usual);
  }
}

/** Bytes: the events of a tenth of a second. */
const usual = 1024 * 1024;
const newline = 0x0a;

/** A line as it was printed; undefined for anything else. Whether the digest is right, `digestOf` tells. */
export function parseLine(text: string): Line | undefined {
  const content = text.slice(contentAt);
  if (!text.startsWith(head) || text.slice(hashEnd, contentAt) !== '",') return undefined;
  const said = { hash: text.slice(head.length, hashEnd), content };
  let fields: Fields;
  try {
    fields = JSON.parse(`{${content}`) as Fields; // each field is looked at below
  } catch {
    return undefined;
  }
  const { n, at, partition, client, patients, before, pruned } = fields;
  if (typeof n !== 'number') return undefined;
  const more = { n, before: Array.isArray(before) ? (before as Link[]) : [], pruned: pruned as string | undefined };
  if (typeof at !== 'number') return { ...said, ...more, entry: undefined };
  const entry = {
    recorded: at,
    partition: partition as string | undefined,
    client: client as string | undefined,
    patients: Array.isArray(patients) ? (patients as string[]) : [],
    text: content.slice(content.indexOf(eventStart) + eventStart.length, -1),
  };
  return { ...said, ...more, entry };
}

export const digestOf = (before: string, content: string): string => hash('sha256', before + content, 'base64url');

type Fields = Readonly<Record<'n' | 'at' | 'partition' | 'client' | 'patients' | 'before' | 'pruned', unknown>>;

const head = '{"hash":"';
const hashEnd = head.length + 43;
const contentAt = hashEnd + 2;
