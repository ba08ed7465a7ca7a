import type { AnyBulkWriteOperation } from 'mongodb';
import { RecordTooLarge } from '../port/errors.ts';
import type { Mark } from '../port/records.ts';
import type { KeptVersion } from '../port/transfer.ts';
import { recordDigest } from '../record/digest.ts';
import { byResource, createdAmong, type VersionsOfOne } from '../record/versions.ts';
import { claimPlaces } from './put-documents.ts';
import { ofPartition } from './attachment-bucket.ts';
import { requireAttachments } from './attachments.ts';
import { parameters } from './collections.ts';
import { type Core, history, type PartitionInfo, resources } from './core.ts';
import { createdBefore } from './created.ts';
import { readMany, type Stored } from './current.ts';
import { isOnlyTaken } from './failures.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { keepMark } from './keyed.ts';
import { documentOf, historyOf } from './prepare.ts';

/** The longest text that surely fits, in bytes: a document of the server may have 16 MB with its index entries. */
const longest = 15 * 1024 * 1024;

/**
 * Stores versions exactly as another store had them, older ones first, so that a repetition repairs everything after a
 * crash. Throws `AttachmentMissing`, `RecordTooLarge`, Error if the versions of a resource are not adjacent and in
 * order.
 */
export async function restoreVersions(
  core: Core,
  partition: PartitionInfo,
  versions: readonly KeptVersion[],
  mark: Mark | undefined,
): Promise<void> {
  const types = new Map<string, VersionsOfOne[]>();
  for (const one of byResource(versions)) types.set(one[0].type, [...(types.get(one[0].type) ?? []), one]);
  for (const { type, id, text = '' } of versions)
    if (text.length * 3 > longest && Buffer.byteLength(text) > longest) throw new RecordTooLarge(type, id);
  for (const [type, of] of types) {
    const attached = of.flat().flatMap(({ attachments }) => attachments);
    await requireAttachments(core, partition.p, attached, type);
    if (!core.options.model.types.has(type)) await forgetIndexes(core, partition, type);
    for (let left: readonly VersionsOfOne[] = of; left.length > 0;)
      left = await restoreType(core, partition, type, left);
  }
  // The next writes of this process are later than all restored ones.
  const latest = versions.reduce((most, { lastUpdated }) => Math.max(most, lastUpdated), 0);
  core.stamps.set(partition.p, Math.max(latest, core.stamps.get(partition.p) ?? 0));
  await keepMark(core, partition.p, mark);
}

/** Returns the resources that another process has written meanwhile. */
async function restoreType(
  core: Core,
  partition: PartitionInfo,
  type: string,
  of: readonly VersionsOfOne[],
): Promise<readonly VersionsOfOne[]> {
  const { p } = partition;
  const ids = of.map(([{ id }]) => id);
  const kept = await readMany(core, p, type, ids);
  const older: HistoryDocument[] = [];
  const current: { of: VersionsOfOne; before: Stored | undefined; document: ResourceDocument }[] = [];
  for (const one of of) {
    const before = kept.get(one[0].id);
    const last = one.at(-1) ?? one[0];
    const isNewer = last.version > (before?.version ?? 0);
    const created = isNewer ? await createdWith(core, p, type, before, one) : undefined;
    const document = isNewer ? documentOf(core, partition, last, { created }) : undefined;
    const top = document ?? before;
    if (top === undefined) continue;
    for (const version of one)
      if (version.version < top.version && version.version !== before?.version) older.push(olderOf(p, top.b, version));
    if (document !== undefined) {
      if (before !== undefined) older.push(historyOf(before));
      current.push({ of: one, before, document });
    }
  }
  const inserts = older.map(document => ({ insertOne: { document } }));
  await insert(inserts, all => history(core, type).bulkWrite(all, { ordered: false }));
  const documents = current.map(({ document }) => document);
  await claimPlaces(core, type, documents, {});
  const steps = current.map(({ before, document }): AnyBulkWriteOperation<ResourceDocument> => {
    if (before === undefined) return { insertOne: { document } };
    const filter = { p, b: before.b, _id: before._id, version: before.version };
    return { replaceOne: { filter, replacement: document } };
  });
  const done = await insert(steps, all => resources(core, type).bulkWrite(all, { ordered: false }));
  return done === steps.length ? [] : current.map(one => one.of);
}

/** When a record was created that gets these versions. */
async function createdWith(
  core: Core,
  p: string,
  type: string,
  before: Stored | undefined,
  versions: VersionsOfOne,
): Promise<number | undefined> {
  if (before === undefined) return createdAmong(versions);
  const { version, text, updated } = before;
  const lastUpdated = (await createdBefore(core, p, type, before)) ?? updated;
  return createdAmong([{ version, text, lastUpdated }, ...versions.filter(one => one.version !== version)]);
}

/** Existing documents stay. Returns the number of steps that were done. */
async function insert<T>(
  steps: readonly T[],
  write: (steps: readonly T[]) => Promise<{ readonly insertedCount: number; readonly matchedCount: number }>,
): Promise<number> {
  if (steps.length === 0) return 0;
  try {
    const { insertedCount, matchedCount } = await write(steps);
    return insertedCount + matchedCount;
  } catch (error) {
    if (!isOnlyTaken(error)) throw error;
    return error.result.insertedCount + error.result.matchedCount;
  }
}

function olderOf(p: string, b: string, older: KeptVersion): HistoryDocument {
  const { id, version, lastUpdated: updated, text, attachments } = older;
  const stored = { _id: `${p}/${id}`, b, version, updated, digest: recordDigest(p, older) };
  return {
    ...historyOf(stored),
    ...(text === undefined ? {} : { text }),
    ...(attachments.length === 0 ? {} : { attached: attachments }),
  };
}

/** Resources of an undeclared type have no entries: all of them are rebuilt when it is declared again. */
async function forgetIndexes({ database, registry }: Core, { p }: PartitionInfo, type: string): Promise<void> {
  const { deletedCount } = await parameters(database).deleteMany({ _id: ofPartition(`${p}/${type}`) });
  if (deletedCount > 0) registry.forget();
}
