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

/** The text of a line, without its end: JSON that begins with the digest of what follows and of the line before. */
export function printLine(n: number, said: Said, before: string): { readonly text: string; readonly hash: string } {
  const content = `"n":${n},${printed(said)}}`;
  const digest = digestOf(before, content);
  return { text: `${start}${digest}",${content}`, hash: digest };
}

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
