import { firstOutcome } from '../first-outcome.ts';
import { keepDocument } from './document-job.ts';
import type { JobResult, NotesJob, Written } from './jobs.ts';
import { keepKey } from './key-job.ts';
import { keepMark } from './mark-job.ts';
import type { Database } from './open.ts';

/** Stores documents, marks and keys, replacing existing ones. */
export function keepNotes(database: Database, { notes, numbers }: NotesJob): JobResult {
  for (const note of notes) {
    if (note.kind === 'document') {
      keepDocument(database, [note.collection, note.key, JSON.stringify(note.value), note.expires ?? null]);
      continue;
    }
    const n = numbers.get(note.partition) ?? 0;
    if (note.kind === 'mark') keepMark(database, n, note.mark);
    else {
      const results = note.results.map((one): Written => [firstOutcome(one), one.id, one.version, one.lastUpdated]);
      keepKey(database, { n, key: note.key }, results);
    }
  }
  return { kind: 'done', value: null };
}
