import { createHash } from 'node:crypto';
import type { Note } from '../../store/port/transfer.ts';
import type { Store } from '../../store/port/store.ts';
import { migrationKey } from './target.ts';

/** Number of notes per write. */
const mostNotes = 500;
/** Notes that expire this soon may be swept during the comparison, in milliseconds. */
const soon = 3_600_000;

/** Copies documents, marks and keys, except the marks of migrations. */
export async function copyNotes(from: Store, to: Store): Promise<void> {
  let batch: Note[] = [];
  for await (const note of notesOf(from)) {
    batch.push(note);
    if (batch.length < mostNotes) continue;
    await to.import(batch);
    batch = [];
  }
  if (batch.length > 0) await to.import(batch);
}

export interface ComparedNotes {
  readonly documents: number;
  readonly marks: number;
  readonly keys: number;
  /** Number of notes of the source that the target lacks or has changed. */
  readonly different: number;
}

/**
 * Compares the notes of the source with those of the target, which may have more. `now` in milliseconds since 1970 UTC.
 */
export async function compareNotes(from: Store, to: Store, now: number): Promise<ComparedNotes> {
  const counts = { document: 0, mark: 0, key: 0 };
  const lacking = new Set<string>();
  for await (const note of notesOf(from)) {
    counts[note.kind] += 1;
    if (expiryOf(note) > now + soon) lacking.add(digestOf(note));
  }
  for await (const note of notesOf(to)) lacking.delete(digestOf(note));
  return { documents: counts.document, marks: counts.mark, keys: counts.key, different: lacking.size };
}

async function* notesOf(store: Store): AsyncIterable<Note> {
  for await (const note of store.export()) if (note.kind !== 'mark' || note.mark.key !== migrationKey) yield note;
}

function expiryOf(note: Note): number {
  if (note.kind === 'mark') return Infinity;
  return note.kind === 'key' ? note.key.expires : (note.expires ?? Infinity);
}

function digestOf(note: Note): string {
  return createHash('sha256')
    .update(JSON.stringify(fieldsOf(note)))
    .digest('base64');
}

/** In a fixed order: stores may return properties in any. */
function fieldsOf(note: Note): readonly unknown[] {
  switch (note.kind) {
    case 'document':
      return [note.kind, note.collection, note.key, note.value, note.expires];
    case 'mark':
      return [note.kind, note.partition, note.mark.key, note.mark.value];
    case 'key': {
      const { key, body, expires } = note.key;
      const results = note.results.map(one => [one.outcome, one.first, one.id, one.version, one.lastUpdated]);
      return [note.kind, note.partition, key, body, expires, results];
    }
    default:
      return note satisfies never;
  }
}
