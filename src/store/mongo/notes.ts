import type { AnyBulkWriteOperation } from 'mongodb';
import type { Note } from '../port/transfer.ts';
import { ofPartition } from './attachment-bucket.ts';
import { documents, marks, partitionsOf, reservations } from './collections.ts';
import type { Core } from './core.ts';
import { keepMark, reservationOf } from './keyed.ts';
import type { MarkDocument, ReservationDocument, SmallDocument } from './layout.ts';
import { documentsOf } from './pages.ts';
import { requireWriting } from './register.ts';

/** Notes per operation. */
const size = 500;

/** Documents, then marks, then keys of writes that are done; without expired ones. */
export async function* keptNotes(core: Core): AsyncIterable<Note> {
  const { database, options } = core;
  const now = options.now();
  for await (const { _id, collection, value, expires } of documentsOf<SmallDocument>(
    documents(database),
    {},
    { size },
  )) {
    if (expires !== undefined && expires <= now) continue;
    const key = _id.slice(collection.length + 1);
    yield { kind: 'document', collection, key, value: JSON.parse(value), expires };
  }
  for (const { id: partition, p } of await partitionsOf(core.database)) {
    for await (const { _id, value } of documentsOf<MarkDocument>(marks(database), {}, { within: ofPartition(p), size }))
      yield { kind: 'mark', partition, mark: { key: _id.slice(p.length + 1), value } };
    const keyed = { p, key: { $exists: true } };
    for await (const held of documentsOf<ReservationDocument>(reservations(database), keyed, { size })) {
      const { key = '', body, expires, results } = held;
      if (results !== undefined && expires > now)
        yield { kind: 'key', partition, key: { key, body, expires }, results };
    }
  }
}

/** Writes notes of another store, replacing existing ones. Throws Error if their partition does not exist. */
export async function putNotes(core: Core, notes: readonly Note[]): Promise<void> {
  const { database, registry } = core;
  requireWriting(core);
  const known = new Map<string, string>();
  for (const note of notes) {
    if (note.kind === 'document' || known.has(note.partition)) continue;
    const partition = await registry.partition(note.partition);
    if (partition === undefined) throw new Error(`There is no partition \`${note.partition}\``);
    known.set(note.partition, partition.p);
  }
  const keyed: AnyBulkWriteOperation<ReservationDocument>[] = [];
  for (const note of notes) {
    switch (note.kind) {
      case 'document': {
        const { collection, key, value, expires } = note;
        const _id = `${collection}/${key}`;
        const document = { collection, value: JSON.stringify(value), ...(expires === undefined ? {} : { expires }) };
        await documents(database).replaceOne({ _id }, document, { upsert: true });
        break;
      }
      case 'mark':
        await keepMark(core, known.get(note.partition) ?? '', note.mark);
        break;
      case 'key': {
        const reservation = reservationOf(known.get(note.partition) ?? '', note.key, note.results);
        const filter = { _id: reservation._id };
        keyed.push({ replaceOne: { filter, replacement: reservation, upsert: true } });
        break;
      }
      default:
        note satisfies never;
    }
  }
  if (keyed.length > 0) await reservations(database).bulkWrite(keyed, { ordered: false });
}
