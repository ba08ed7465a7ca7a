import { hash } from 'node:crypto';
import type { AuditEntry } from '../store.ts';

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

/** A line of a chain, by its digest. */
export interface Link {
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
}

/** What stands in a line beside its digest. */
export type Said = { readonly before: readonly Link[] } | { readonly pruned: string } | AuditEntry;

/** Lines of a chain as they are kept, each with its end. */
export interface Lines {
  readonly bytes: Uint8Array;
  /** Each without its end. */
  texts(): readonly string[];
}

/** What lines are printed into, one after the other; it may be used again for others when they are kept. */
export class LinePrinter {
  #bytes = Buffer.alloc(usual);
  #length = 0;

  /** Adds a line, JSON that begins with the digest of what follows and of the line before, and gives that digest. */
  print(n: number, said: Said, before: string): string {
    const content = `"n":${n},${printed(said)}}`;
    this.#reserve(contentAt + 3 * content.length + 1);
    // The digest of the line before stands for a moment where that of this line comes: they are digested together.
    const from = this.#length + contentAt;
    this.#bytes.write(before, from - before.length, 'latin1');
    const end = from + this.#bytes.write(content, from);
    const digest = hash('sha256', this.#bytes.subarray(from - before.length, end), 'base64url');
    this.#bytes.write(`${start}${digest}",`, this.#length, 'latin1');
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

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(2 * this.#bytes.length, this.#length + length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Bytes: the events of a tenth of a second. */
const usual = 1024 * 1024;
const newline = 0x0a;

/** A line as it was printed; undefined for anything else. Whether the digest is right, `digestOf` tells. */
export function parseLine(text: string): Line | undefined {
  const content = text.slice(contentAt);
  if (!text.startsWith(start) || text.slice(hashEnd, contentAt) !== '",') return undefined;
  const head = { hash: text.slice(start.length, hashEnd), content };
  let fields: Fields;
  try {
    fields = JSON.parse(`{${content}`) as Fields; // each field is looked at below
  } catch {
    return undefined;
  }
  const { n, at, partition, client, patients, before, pruned } = fields;
  if (typeof n !== 'number') return undefined;
  const more = { n, before: Array.isArray(before) ? (before as Link[]) : [], pruned: pruned as string | undefined };
  if (typeof at !== 'number') return { ...head, ...more, entry: undefined };
  const entry = {
    recorded: at,
    partition: partition as string | undefined,
    client: client as string | undefined,
    patients: Array.isArray(patients) ? (patients as string[]) : [],
    text: content.slice(content.indexOf(eventStart) + eventStart.length, -1),
  };
  return { ...head, ...more, entry };
}

export const digestOf = (before: string, content: string): string => hash('sha256', before + content, 'base64url');

type Fields = Readonly<Record<'n' | 'at' | 'partition' | 'client' | 'patients' | 'before' | 'pruned', unknown>>;

const start = '{"hash":"';
const hashEnd = start.length + 43;
const contentAt = hashEnd + 2;
/** What stands before the event: no string holds it, since quotes in strings are escaped. */
const eventStart = ',"event":';

function printed(said: Said): string {
  if ('before' in said) return `"before":${JSON.stringify(said.before)}`;
  if ('pruned' in said) return `"pruned":${JSON.stringify(said.pruned)}`;
  const { recorded, partition, client, patients, text } = said;
  const of = partition === undefined ? '' : `,"partition":${JSON.stringify(partition)}`;
  const by = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
  const about = patients.length === 0 ? '' : `,"patients":${JSON.stringify(patients)}`;
  return `"at":${recorded}${of}${by}${about}${eventStart}${text}`;
}
