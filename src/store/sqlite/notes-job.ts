import { keepDocument } from './document-job.ts';
import type { JobResult, NotesJob } from './jobs.ts';
import { keepKey } from './key-job.ts';
import { keepMark } from './mark-job.ts';
import type { Database } from './open.ts';

/** Keeps documents, marks and keys, over those that are there. */
export function keepNotes(database: Database, { documents, marks, keys }: NotesJob): JobResult {
  for (const row of documents) keepDocument(database, row);
  for (const { n, mark } of marks) keepMark(database, n, mark);
  for (const { n, key, results } of keys) keepKey(database, { n, key }, results);
  return { kind: 'done', value: null };
}
