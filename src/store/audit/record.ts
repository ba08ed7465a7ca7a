import type { AuditEntry } from './entry.ts';

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
export const eventStart = ',"event":';

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
