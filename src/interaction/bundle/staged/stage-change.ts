import { stamp } from '../../../fhir/resource-text.ts';
import type { Attached } from '../../../store/port/blobs.ts';
import { holds } from '../../../store/port/conditional.ts';
import { RecordTooLarge, SeveralMatch, VersionConflict } from '../../../store/port/errors.ts';
import { isTooLong } from '../../../store/record/changes.ts';
import type {
  Change,
  Page,
  StoredVersion,
  StoreSearch,
  VersionPrecondition,
  WriteResult,
} from '../../../store/port/records.ts';
import type { StagedRecord } from './staged-record.ts';

/** What staging a change reads. */
export interface StagedReads {
  read(type: string, id: string): Promise<StoredVersion | undefined>;
  search(type: string, search: StoreSearch): Promise<Page>;
  /** The attachments of the stored version of a record. */
  attachedTo(type: string, id: string): Promise<readonly Attached[]>;
}

/** The result of a change, and the changed record, if there is one. */
export interface Staged {
  readonly result: WriteResult;
  readonly record?: StagedRecord;
}

/**
 * What `Partition.write` would do with a change, as it is now; `lastUpdated` is that of a new version. Throws its
 * errors.
 */
export async function stageChange(reads: StagedReads, lastUpdated: number, change: Change): Promise<Staged> {
  const { type, id, precondition } = change;
  const found = precondition?.is === 'no-match' ? await matchOf(reads, type, precondition.query) : undefined;
  if (found !== undefined) return resultOf('matched', found);
  const before = await reads.read(type, id);
  const isThere = before?.text !== undefined;
  if (!holds(precondition, before?.version ?? 0, isThere)) throw new VersionConflict(type, id);
  const same = before ?? { type, id, version: 0, lastUpdated: 0, text: undefined };
  const version = { type, id, version: same.version + 1, lastUpdated, text: undefined };
  const required: VersionPrecondition = isThere
    ? { is: 'version', version: same.version }
    : { is: 'absent', version: same.version };
  if (change.kind === 'remove') {
    if (!isThere) return resultOf('unchanged', same);
    const record = { change: { ...change, precondition: required }, before, version };
    return { ...resultOf('removed', version), record };
  }
  if (isThere && (await isSame(reads, before, change))) return resultOf('unchanged', before);
  if (isTooLong(change.text)) throw new RecordTooLarge(type, id);
  const text = change.text.before + stamp(version.version, lastUpdated) + change.text.after;
  const kept = precondition?.is === 'no-match' ? precondition : required;
  const record = { change: { ...change, precondition: kept }, before, version: { ...version, text } };
  return { ...resultOf(isThere ? 'updated' : 'created', version), record };
}

type Put = Extract<Change, { readonly kind: 'put' }>;

const byId = [{ by: 'id', descending: false }] as const;

async function matchOf(
  reads: StagedReads,
  type: string,
  query: StoreSearch['query'],
): Promise<StoredVersion | undefined> {
  const { versions } = await reads.search(type, { query, sort: byId, limit: 2 });
  if (versions.length > 1) throw new SeveralMatch(type);
  return versions[0];
}

/** Whether a change would make no difference. */
async function isSame(
  reads: StagedReads,
  { type, id, version, lastUpdated, text }: StoredVersion,
  { text: parts, attachments }: Put,
): Promise<boolean> {
  if (text !== parts.before + stamp(version, lastUpdated) + parts.after) return false;
  if (attachments === undefined) return true;
  const list = (of: readonly Attached[]): string =>
    JSON.stringify(of.map(({ path, digest, size, contentType }) => [path, digest, size, contentType]));
  return list(await reads.attachedTo(type, id)) === list(attachments);
}

const resultOf = (
  outcome: WriteResult['outcome'],
  { id, version, lastUpdated }: Pick<StoredVersion, 'id' | 'version' | 'lastUpdated'>,
): Staged => ({ result: { outcome, id, version, lastUpdated } });
