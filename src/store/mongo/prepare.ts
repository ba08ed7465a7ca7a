import { stamp } from '../../fhir/resource-text.ts';
import type { ParsedJson } from '../../fhir/json.ts';
import type { ResourceType } from '../../model/model.ts';
import { recordDigest } from '../record-digest.ts';
import { printOwners } from '../owners.ts';
import { isTooLong } from '../record-length.ts';
import type { Attached } from '../blobs.ts';
import type { Change } from '../records.ts';
import type { KeptVersion } from '../transfer.ts';
import { RecordTooLarge } from '../errors.ts';
import { bucketFor } from './bucket.ts';
import type { Core, PartitionInfo } from './core.ts';
import type { Stored } from './current.ts';
import { indexFields, noFields } from './entries.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { historyId } from './current.ts';
import { everyTerm, updatedField } from './names.ts';
import { orderKey } from './order-key.ts';
import { madeBy } from './wanted.ts';

export type Put = Extract<Change, { readonly kind: 'put' }>;

/** The parts of the next version of a resource, beside the change. */
export interface Next {
  readonly version: number;
  readonly updated: number;
  /** The attachments of the version before. */
  readonly attached: readonly Attached[] | undefined;
  /** `_id` of the reservation of its write. */
  readonly by: string | undefined;
}

/** The document of the next version of a resource. Throws `RecordTooLarge`. */
export function putDocument(
  core: Core,
  partition: PartitionInfo,
  { type, id, text: parts, parsed, attachments }: Put,
  { version, updated, attached = [], by }: Next,
): ResourceDocument {
  if (isTooLong(parts)) throw new RecordTooLarge(type, id);
  const text = parts.before + stamp(version, updated) + parts.after;
  const next = { type, id, version, lastUpdated: updated, text, attachments: attachments ?? attached };
  return documentOf(core, partition, next, { parsed, by });
}

/** The document of a tombstone: it replaces the resource, in the same shard. */
export function tombstoneOf(
  core: Core,
  partition: PartitionInfo,
  { type, id }: Change,
  { b }: Stored,
  { version, updated, by }: Next,
): ResourceDocument {
  const next = { type, id, version, lastUpdated: updated, text: undefined, attachments: [] };
  return { ...documentOf(core, partition, next, { by }), b };
}

/** The document of a version that becomes current. One of an undeclared type gets its entries when it is declared. */
export function documentOf(
  core: Core,
  partition: PartitionInfo,
  kept: KeptVersion,
  { parsed, by }: { readonly parsed?: ParsedJson | undefined; readonly by?: string | undefined } = {},
): ResourceDocument {
  const { p, settings } = partition;
  const { id, version, lastUpdated: updated, text, attachments } = kept;
  const type = core.options.model.types.get(kept.type);
  const common = {
    _id: `${p}/${id}`,
    p,
    version,
    updated,
    ...(attachments.length === 0 ? {} : { attached: attachments }),
    ...(by === undefined ? {} : { by }),
    digest: recordDigest(p, kept),
  };
  if (type === undefined) {
    const fields = { ...noFields, t: [everyTerm(p)], o: { [updatedField]: orderKey(updated, id) } };
    return { ...common, b: '', made: '', ...(text === undefined ? noFields : { text, ...fields }) };
  }
  const made = madeBy(type, settings.zone);
  if (text === undefined) return { ...common, b: bucketFor(core, type, p, id, []), made, ...noFields };
  const entries = core.options.extract(type, text, { id: partition.id, zone: settings.zone }, parsed);
  const b = bucketFor(core, type, p, id, entries);
  const fields = indexFields(type, p, id, updated, entries);
  return { ...common, b, made, text, owners: printOwners(type, entries), ...fields };
}

/** The history document of a version that another replaces. */
export function historyOf({ _id, b, version, updated, text, owners, attached, by, digest }: Stored): HistoryDocument {
  const [p = '', id = ''] = _id.split('/');
  return {
    _id: historyId(p, id, version),
    p,
    b,
    version,
    updated,
    ...(text === undefined ? {} : { text }),
    ...(owners === undefined ? {} : { owners }),
    ...(attached === undefined ? {} : { attached }),
    ...(by === undefined ? {} : { by }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Whether a change would make no difference. */
export function isSame({ version, updated, text, attached = [] }: Stored, change: Put): boolean {
  if (text !== change.text.before + stamp(version, updated) + change.text.after) return false;
  if (change.attachments === undefined) return true;
  const list = (of: readonly Attached[]): string =>
    JSON.stringify(of.map(({ path, digest, size, contentType }) => [path, digest, size, contentType]));
  return list(attached) === list(change.attachments);
}

/** A declared type. Throws Error for another. */
export function declared({ options }: Core, type: string): ResourceType {
  const known = options.model.types.get(type);
  if (known === undefined) throw new Error(`\`${type}\` is not a declared type`);
  return known;
}

/** Milliseconds since 1970 UTC for a commit of this process: later than any before, and than `after`. */
export function nextStamp({ options, stamps }: Core, p: string, after = 0): number {
  const next = Math.max(options.now(), (stamps.get(p) ?? 0) + 1, after + 1);
  stamps.set(p, next);
  return next;
}
