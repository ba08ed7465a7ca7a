import type { KeptAttachment } from '../blobs.ts';
import { ofPartition } from './attachment-bucket.ts';
import { type Core, resources } from './core.ts';
import type { ResourceDocument } from './layout.ts';

/** Records that one operation reads. */
const slice = 200;

/** What the current resources of a type carry, or these of them alone, in id order. */
export async function* listAttachments(
  core: Core,
  p: string,
  type: string,
  ids?: readonly string[],
): AsyncIterable<KeptAttachment> {
  const pages = ids === undefined ? allPages(core, p, type) : pagesOf(core, p, type, ids);
  for await (const page of pages)
    for (const { _id, version, attached } of page)
      for (const { path, digest, size, contentType } of attached)
        yield { type, id: _id.slice(p.length + 1), version, path, digest, size, contentType };
}

type Carrying = Pick<ResourceDocument, '_id' | 'version'> & { readonly attached: KeptAttachment[] };

const fields = { version: 1, attached: 1 };
/** A tombstone carries nothing. */
const carries = { 'attached.0': { $exists: true }, text: { $exists: true } };

async function* allPages(core: Core, p: string, type: string): AsyncIterable<readonly Carrying[]> {
  let page: readonly Carrying[] = [];
  do {
    const { $gte, $lt } = ofPartition(p);
    const after = page.at(-1)?._id ?? $gte;
    page = await resources(core, type)
      .find({ _id: { $gt: after, $lt }, p, ...carries })
      .project<Carrying>(fields)
      .sort({ _id: 1 })
      .limit(slice)
      .toArray();
    yield page;
  } while (page.length === slice);
}

async function* pagesOf(
  core: Core,
  p: string,
  type: string,
  ids: readonly string[],
): AsyncIterable<readonly Carrying[]> {
  const sorted = [...new Set(ids)].map(id => `${p}/${id}`).sort((a, b) => (a < b ? -1 : 1));
  for (let at = 0; at < sorted.length; at += slice)
    yield await resources(core, type)
      .find({ _id: { $in: sorted.slice(at, at + slice) }, p, ...carries })
      .project<Carrying>(fields)
      .sort({ _id: 1 })
      .toArray();
}
