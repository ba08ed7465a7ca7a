import { stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { recordDigest } from '../record-digest.ts';
import { printOwners } from '../owners.ts';
import { isTooLong } from '../record-length.ts';
import type { Attached } from '../blobs.ts';
import type { Change } from '../records.ts';
import { RecordTooLarge } from '../errors.ts';
import { bucketFor } from './bucket.ts';
import type { Core, PartitionInfo } from './core.ts';
import type { Stored } from './current.ts';
import { indexFields, noFields } from './entries.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { historyId } from './current.ts';
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

/** The document of a new version. Throws `RecordTooLarge`. */
export function documentOf(
  { options, bucketKey }: Core,
  { id: partition, p, settings }: PartitionInfo,
  type: ResourceType,
  { id, text: parts, parsed, attachments }: Put,
  { version, updated, attached, by }: Next,
): ResourceDocument {
  if (isTooLong(parts)) throw new RecordTooLarge(type.name, id);
  const text = parts.before + stamp(version, updated) + parts.after;
  const entries = options.extract(type, text, { id: partition, zone: settings.zone }, parsed);
  const carried = attachments ?? attached ?? [];
  const kept = { type: type.name, id, version, lastUpdated: updated, text, attachments: carried };
  return {
    _id: `${p}/${id}`,
    p,
    b: bucketFor({ bucketKey }, type, p, id, entries),
    version,
    updated,
    made: madeBy(type, settings.zone),
    text,
    owners: printOwners(type, entries),
    ...indexFields(type, p, id, updated, entries),
    ...(carried.length === 0 ? {} : { attached: carried }),
    ...(by === undefined ? {} : { by }),
    digest: recordDigest(p, kept),
  };
}

/** The document of a tombstone: it replaces the resource. */
export function tombstoneOf(
  { settings }: PartitionInfo,
  type: ResourceType,
  current: Stored,
  { version, updated, by }: Next,
): ResourceDocument {
  const [p = '', id = ''] = current._id.split('/');
  const made = madeBy(type, settings.zone);
  const kept = { type: type.name, id, version, lastUpdated: updated, text: undefined, attachments: [] };
  return {
    _id: current._id,
    p,
    b: current.b,
    version,
    updated,
    made,
    ...noFields,
    ...(by === undefined ? {} : { by }),
    digest: recordDigest(p, kept),
  };
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
