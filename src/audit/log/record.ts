import type { AuditEntry } from './entry.ts';

/** A line of a chain, by its digest. */
export interface Link {
  readonly chain: string;
  readonly n: number;
  readonly hash: string;
}

/** The content of a line beside its digest and its number. */
export type AuditRecord = { readonly before: readonly Link[] } | { readonly pruned: string } | AuditEntry;

/** What precedes the event in a line: no string has it, since quotes in strings are escaped. */
export const eventStart = ',"event":';

/** The end of a line from its number on, as JSON. */
export function printRecord(record: AuditRecord): string {
  if ('before' in record) return `"before":${JSON.stringify(record.before)}}`;
  if ('pruned' in record) return `"pruned":${JSON.stringify(record.pruned)}}`;
  const { recorded, partition, client, patients, text } = record;
  const of = partition === undefined ? '' : `,"partition":${JSON.stringify(partition)}`;
  const by = client === undefined ? '' : `,"client":${JSON.stringify(client)}`;
  const about = patients.length === 0 ? '' : `,"patients":${JSON.stringify(patients)}`;
  return `"at":${recorded}${of}${by}${about}${eventStart}${text}}`;
}
