import type { ParsedJson } from '../../fhir/json.ts';
import { stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { orderKey } from '../keys/order-key.ts';
import { printOwners } from '../keys/owners.ts';
import { holds } from '../port/conditional.ts';
import { RecordTooLarge, VersionConflict } from '../port/errors.ts';
import type { Change, Put, WriteOutcome } from '../port/records.ts';
import type { KeptVersion } from '../port/transfer.ts';
import { isTooLong } from '../record/changes.ts';
import { printAttached, recordDigest } from '../record/digest.ts';
import { bucketFor } from './bucket.ts';
import type { Core, PartitionInfo } from './core.ts';
import { historyId, type Stored } from './current.ts';
import { madeBy } from './declared-indexes.ts';
import { indexFields, noFields } from './entries.ts';
import type { HistoryDocument, ResourceDocument } from './layout.ts';
import { everyTerm, updatedField } from './names.ts';

/** The outcome of a change to the current version. Throws `VersionConflict`. */
export function outcomeOf(change: Change, current: Stored | undefined): Exclude<WriteOutcome, 'matched'> {
  const isThere = current?.text !== undefined;
  if (!holds(change.precondition, current?.version ?? 0, isThere)) throw new VersionConflict(change.type, change.id);
  if (change.kind === 'remove') return isThere ? 'removed' : 'unchanged';
  if (!isThere) return 'created';
  return isSame(current, change) ? 'unchanged' : 'updated';
}

/** How the next version of a resource is written. */
interface Manner {
  /** `lastUpdated`, unless the current version is as late. */
  readonly updated: number | undefined;
  /** When the record of the current version was created (created.ts). */
  readonly created: number | undefined;
}

/** The document of the next version of a resource. Throws `RecordTooLarge`. */
export function nextDocument(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  current: Stored | undefined,
  { updated, created }: Manner,
): ResourceDocument {
  const { type, id } = change;
  const after = current?.updated ?? 0;
  const lastUpdated = updated !== undefined && updated > after ? updated : nextStamp(core, partition.p, after);
  const next = { type, id, version: (current?.version ?? 0) + 1, lastUpdated };
  if (change.kind === 'remove') {
    const tombstone = documentOf(core, partition, { ...next, text: undefined, attachments: [] });
    return { ...tombstone, b: current?.b ?? tombstone.b }; // it replaces the resource, in the same shard
  }
  const { text: parts, parsed, attachments = current?.attached ?? [] } = change;
  if (isTooLong(parts)) throw new RecordTooLarge(type, id);
  const text = parts.before + stamp(next.version, lastUpdated) + parts.after;
  return documentOf(core, partition, { ...next, text, attachments }, { parsed, created });
}

/**
 * The document of a version that becomes current, of a record that is created with it unless it says `created`. One of
 * an undeclared type gets its entries when it is declared.
 */
export function documentOf(
  core: Core,
  partition: PartitionInfo,
  kept: KeptVersion,
  { parsed, created }: Partial<Pick<Manner, 'created'>> & { readonly parsed?: ParsedJson | undefined } = {},
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
  const fields = indexFields(type, p, id, { updated, created: created ?? updated }, entries);
  return { ...common, b, made, text, owners: printOwners(type, entries), ...fields };
}

/** The history document of a version that another replaces. */
export function historyOf({ _id, b, version, updated, text, owners, attached, digest }: Stored): HistoryDocument {
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
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Whether a change would make no difference. */
function isSame({ version, updated, text, attached = [] }: Stored, change: Put): boolean {
  if (text !== change.text.before + stamp(version, updated) + change.text.after) return false;
  return change.attachments === undefined || printAttached(attached) === printAttached(change.attachments);
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
