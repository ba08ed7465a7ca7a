import type { Collection } from 'mongodb';
import { RecordTooLarge } from '../port/errors.ts';
import type { Mark } from '../port/records.ts';
import type { KeptVersion } from '../port/transfer.ts';
import { definingKeys } from '../record/changes.ts';
import { recordDigest } from '../record/digest.ts';
import { byResource, createdAmong, type VersionsOfOne } from '../record/versions.ts';
import { ofPartition } from './attachment-bucket.ts';
import { requireAttachments } from './attachments.ts';
import { parameters } from './collections.ts';
import { type Core, history, type PartitionInfo } from './core.ts';
import { createdBefore } from './created.ts';
import { readMany, type Stored } from './current.ts';
import { noteDefinitions } from './defining.ts';
import type { HistoryDocument } from './layout.ts';
import { keepMark } from './keyed.ts';
import { documentOf, historyOf } from './prepare.ts';
import { LostRace, type NextDocument, putDocuments } from './put-documents.ts';

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
    while (!(await restoreType(core, partition, type, of)));
  }
  // The next writes of this process are later than all restored ones.
  const latest = versions.reduce((most, { lastUpdated }) => Math.max(most, lastUpdated), 0);
  core.stamps.set(partition.p, Math.max(latest, core.stamps.get(partition.p) ?? 0));
  await noteDefinitions(core, partition, definingKeys(byResource(versions).map(([one]) => one)));
  await keepMark(core, partition.p, mark);
}

/** Returns false if another process has written one of the resources meanwhile. */
async function restoreType(
  core: Core,
  partition: PartitionInfo,
  type: string,
  of: readonly VersionsOfOne[],
): Promise<boolean> {
  const { p } = partition;
  const kept = await readMany(
    core,
    p,
    type,
    of.map(([{ id }]) => id),
  );
  const older: HistoryDocument[] = [];
  const replaced: HistoryDocument[] = [];
  const next: NextDocument[] = [];
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
    if (document === undefined) continue;
    if (before !== undefined) replaced.push(historyOf(before));
    next.push({ before, document });
  }
  try {
    await putDocuments(core, type, next, [...(await missingIn(history(core, type), p, older)), ...replaced], {});
    return true;
  } catch (error) {
    if (error instanceof LostRace) return false;
    throw error;
  }
}

/** Versions that exist stay as they are. */
async function missingIn(
  versions: Collection<HistoryDocument>,
  p: string,
  older: readonly HistoryDocument[],
): Promise<readonly HistoryDocument[]> {
  if (older.length === 0) return [];
  const named = { _id: { $in: older.map(({ _id }) => _id) }, p };
  const found = await versions.find(named, { projection: { _id: 1 } }).toArray();
  const there = new Set(found.map(({ _id }) => _id));
  return older.filter(({ _id }) => !there.has(_id));
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
