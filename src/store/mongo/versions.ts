import type { Filter } from 'mongodb';
import type { KeptVersion } from '../port/transfer.ts';
import { ofPartition } from './attachment-bucket.ts';
import { typesKept } from './collections.ts';
import { type Core, history, resources } from './core.ts';
import { attachedTo, storedVersion } from './current.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { pagesOf } from './pages.ts';

/**
 * Types with records in a partition, tombstones too, also where the definitions do not declare them; in order.
 */
export async function keptTypes(core: Core, p: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await typesKept(core.database)) {
    const any = await resources(core, name).findOne({ _id: ofPartition(p), p }, { projection: { _id: 1 } });
    if (any !== null) found.push(name);
  }
  return found;
}

/** All versions of the resources of a type with their attachments, tombstones too: by id, then version; after an id. */
export async function* keptVersions(core: Core, p: string, type: string, after = ''): AsyncIterable<KeptVersion> {
  const within = { $gt: `${p}/${after}`, $lt: ofPartition(p).$lt };
  for await (const page of pagesOf<Kept>(resources(core, type), { p }, { within, project: fields })) {
    const older = await olderVersions(core, p, type, page);
    for (const current of page) {
      const id = current._id.slice(p.length + 1);
      for (const version of [...(older.get(id) ?? []), current])
        yield { ...storedVersion(p, type, version), attachments: attachedTo(version) };
    }
  }
}

type Kept = Pick<ResourceDocument, '_id' | 'version' | 'updated' | 'text' | 'attached'>;

const fields = { version: 1, updated: 1, text: 1, attached: 1 };

/** A version is in the history before it is replaced: a copy of the current one there is skipped. */
async function olderVersions(
  core: Core,
  p: string,
  type: string,
  page: readonly Kept[],
): Promise<ReadonlyMap<string, readonly Kept[]>> {
  const found = new Map<string, Kept[]>();
  const updated = page.filter(({ version }) => version > 1);
  if (updated.length === 0) return found;
  const current = new Map(updated.map(({ _id, version }) => [_id.slice(p.length + 1), version]));
  // `0` follows `/`.
  const ranges: Filter<HistoryDocument>[] = updated.map(({ _id }) => ({ _id: { $gt: `${_id}/`, $lt: `${_id}0` }, p }));
  const versions = await history(core, type).find({ $or: ranges }).project<Kept>(fields).toArray();
  for (const version of versions.toSorted((a, b) => a.version - b.version)) {
    const id = version._id.slice(p.length + 1, version._id.lastIndexOf('/'));
    if (version.version >= (current.get(id) ?? 0)) continue;
    found.set(id, [...(found.get(id) ?? []), version]);
  }
  return found;
}
