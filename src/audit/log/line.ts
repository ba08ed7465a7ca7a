import { hash } from 'node:crypto';
import type { AuditEntry } from './entry.ts';
import { eventStart, printRecord } from './record.ts';
import type { AuditRecord, Link } from './record.ts';

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

/** Lines of a chain in order, each without its end, and the digest of the last. */
export interface PrintedLines {
  readonly lines: readonly string[];
  readonly hash: string;
}

/**
 * Prints records as lines from number `n` on: JSON that begins with the digest of the rest and of the line before, whose
 * digest is `before` (empty for none).
 */
export function printLines(n: number, before: string, records: readonly AuditRecord[]): PrintedLines {
  let hash = before;
  const lines = records.map((record, at) => {
    const content = `"n":${n + at},${printRecord(record)}`;
    hash = digestOf(hash, content);
    return `${head}${hash}",${content}`;
  });
  return { lines, hash };
}

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
