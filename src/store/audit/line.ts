import { hash } from 'node:crypto';

/** Reference to a line of a chain by its digest. */
export interface Link {
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
}

/** An event as another process of this server has printed it (`printRecord`). */
export interface PrintedEvent {
  readonly printed: string;
}

/** The content of a line apart from its digest and its number. */
export type AuditRecord =
  { readonly before: readonly Link[] } | { readonly pruned: string } | AuditEntry | PrintedEvent;

/** The text before the event in a line: no string contains it, since quotes in strings are escaped. */
const eventStart = ',"event":';

/** The rest of a line after its number, as JSON. */
export function printRecord(record: AuditRecord): string {
  if ('before' in record) return `"before":${JSON.stringify(record.before)}}`;
  if ('pruned' in record) return `"pruned":${JSON.stringify(record.pruned)}}`;
  if ('printed' in record) return record.printed;
  const { recorded, partition, client, patients, text } = record;
  const of = partition === undefined ? '' : `,"partition":${JSON.stringify(partition)}`;
  const by = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
  const about = patients.length === 0 ? '' : `,"patients":${JSON.stringify(patients)}`;
  return `"at":${recorded}${of}${by}${about}${eventStart}${text}}`;
}

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

/** An event with the keys by which it is searched. */
export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly partition: string | undefined;
  readonly client: string | undefined;
  /** Ids of the owners that it concerns. */
  readonly patients: readonly string[];
  /** The event itself, as JSON without line breaks: whole, or in the short form of `audit/short-event.ts`. */
  readonly text: string;
}

/** All given conditions must match. */
export interface AuditFilter {
  readonly partition?: string;
  readonly client?: string;
  readonly patient?: string;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly since?: number;
  /** Milliseconds since 1970 UTC, exclusive. */
  readonly until?: number;
}

/** Storage of chains of lines, which a store provides and `ChainedLog` uses as an audit log. */
export interface ChainPlace {
  /** Names of all chains, in the order of their creation. */
  chains(): Promise<readonly string[]>;
  /** Begins a chain with a new name. */
  begin(chain: string): Promise<OpenChain>;
  /** The lines of a chain in order; lines that do not match the filter may be omitted. */
  lines(chain: string, filter?: AuditFilter): AsyncIterable<KeptLine>;
  /** The last whole line of a chain; undefined if there is none. */
  last(chain: string): Promise<string | undefined>;
  remove(chain: string): Promise<void>;
}

/** A chain that this process appends to. */
export interface OpenChain {
  /**
   * Appends lines (each without its line break); the first has number `n`. It is durable when it resolves. After an
   * error the chain is not written to again.
   */
  readonly write: (n: number, lines: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface KeptLine {
  readonly text: string;
  /** False for the end of a chain that is torn. */
  readonly whole: boolean;
}

/** The name of a chain that begins at a time: it begins with its day in UTC, and names sort like the times. */
export const chainName = (time: number, unique: string): string =>
  `${new Date(time).toISOString().replaceAll(':', '')}-${unique}`;

export const dayOf = (chain: string): string => chain.slice(0, 10);

/** Whether a name has this form: other files do not belong to the log. */
export const isChainName = (name: string): boolean => /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z-[0-9a-f]{8}$/.test(name);
