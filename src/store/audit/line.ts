import { hash } from 'node:crypto';
import type { AuditEntry } from './entry.ts';
import { eventStart, printRecord } from './record.ts';
import type { AuditRecord, Link } from './record.ts';

/** One line of a chain; its digest covers `content` and the digest of the line before. */
export interface Line {
  readonly hash: string;
  readonly content: string;
  readonly n: number;
  /** An event. */
  readonly entry: AuditEntry | undefined;
  /** The ends of other chains when this one began: in its first line. */
  readonly before: readonly Link[];
  /** The days before this one were pruned. */
  readonly pruned: string | undefined;
}

/** Lines of a chain in order, each without its line break, and the digest of the last. */
export interface EncodedLines {
  readonly lines: readonly string[];
  readonly hash: string;
}

/**
 * Encodes records as lines from number `n` on: JSON that begins with the digest of the rest and of the line before,
 * whose digest is `before` (empty for none).
 */
export function printLines(n: number, before: string, records: readonly AuditRecord[]): EncodedLines {
  let hash = before;
  const lines = records.map((record, at) => {
    const content = `"n":${n + at},${printRecord(record)}`;
    hash = digestOf(hash, content);
    return `${head}${hash}",${content}`;
  });
  return { lines, hash };
}

/** Parses a line; undefined for anything else. `digestOf` verifies the digest. */
export function parseLine(text: string): Line | undefined {
  const content = text.slice(contentAt);
  if (!text.startsWith(head) || text.slice(hashEnd, contentAt) !== '",') return undefined;
  const said = { hash: text.slice(head.length, hashEnd), content };
  let fields: Fields;
  try {
    fields = JSON.parse(`{${content}`) as Fields; // each field is checked below
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
