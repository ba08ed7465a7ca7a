import type { KeptAttachment } from '../blobs.ts';
import { ofPartition } from './attachment-bucket.ts';
import { type Core, resources } from './core.ts';
import type { ResourceDocument } from './layout.ts';
import { documentsOf } from './pages.ts';

/** Records per operation. */
const size = 200;

/** The attachments of the current resources of a type, or of these only, in id order. */
export async function* listAttachments(
  core: Core,
  p: string,
  type: string,
  ids?: readonly string[],
): AsyncIterable<KeptAttachment> {
  const sorted = ids && [...new Set(ids)].map(id => `${p}/${id}`).sort((a, b) => (a < b ? -1 : 1));
  const parts = sorted === undefined ? [{}] : inSlices(sorted).map(some => ({ _id: { $in: some } }));
  for (const part of parts) {
    const options = { within: ofPartition(p), project: { version: 1, attached: 1 }, size };
    const records = documentsOf<Carrying>(resources(core, type), { $and: [part], p, ...carries }, options);
    for await (const { _id, version, attached } of records)
      for (const { path, digest, size: bytes, contentType } of attached)
        yield { type, id: _id.slice(p.length + 1), version, path, digest, size: bytes, contentType };
  }
}

const inSlices = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, at) => ids.slice(at * size, (at + 1) * size));

type Carrying = Pick<ResourceDocument, '_id' | 'version'> & { readonly attached: KeptAttachment[] };

/** A tombstone has no attachments. */
const carries = { 'attached.0': { $exists: true }, text: { $exists: true } };
