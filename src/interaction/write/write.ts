import type { Issue } from '../../fhir/outcome.ts';
import { splitForStamp, stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { writeCarrying } from '../../attachment/write.ts';
import { VersionConflict } from '../../store/errors.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Precondition, WriteKey, WriteResult } from '../../store/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { readClientRecord, settleRecord } from './client-record.ts';
import type { ClientPlace, FormerVersion } from './client-record.ts';

/** A resource to write, as received. */
export interface Draft {
  readonly type: ResourceType;
  readonly id: string;
  /** JSON in UTF-8. Overwritten while it is parsed. */
  readonly body: Buffer;
}

/** A resource to create. */
export interface NewDraft extends Draft {
  readonly precondition: Precondition;
  readonly key: WriteKey | undefined;
}

export interface Written extends WriteResult {
  /** The stored text; undefined if it was deleted since, which only a repeated write can find. */
  readonly text: string | undefined;
  /** Warnings and notes, which did not reject it. */
  readonly warnings?: readonly Issue[];
}

/**
 * Creates a client's resource: it is checked, its attachments are stored and durable before the record that references
 * them. Throws FhirError for its errors, and the errors of `Partition.write`.
 */
export async function write(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { type, id, body, precondition, key }: NewDraft,
): Promise<Written> {
  // A repeated write is answered before any check: the definitions may have changed since.
  const [earlier] = key === undefined ? [] : await partition.write([], { key });
  if (earlier !== undefined) return withText(partition, type, earlier);
  const place = { ...request, partition, letter: 'c', id: '', bodyId: 'ignored', former: undefined } as const;
  const record = await readClientRecord(engine, type, body, place);
  const { text } = settleRecord(engine, type, record, place);
  // Durable before anything is written, so that no write is without an event of its author.
  await engine.audit.begin(request, { type: type.name, id, text, key: key?.key });
  const parts = splitForStamp(text, id);
  const change = { kind: 'put', type: type.name, id, text: parts, precondition } as const;
  const [result] = await writeCarrying(
    partition,
    [{ change, contents: record.contents }],
    key === undefined ? {} : { key },
  );
  return written(partition, type, id, parts, result, record.warnings);
}

/** What an update replaces. */
export interface Replaced {
  readonly id: string;
  /** The version that it replaces; undefined if it creates a record. */
  readonly former: FormerVersion | undefined;
  /** Only if nothing matches; undefined: only if the former version is the current one. */
  readonly precondition?: Precondition | undefined;
}

/** A resource that replaces another version. */
export interface ReplacingDraft extends Pick<Draft, 'type'>, Pick<ClientPlace, 'bodyId'> {
  /**
   * The body that replaces a version, JSON in UTF-8: of an update always the same one, of a patch what it makes of this
   * version. Throws FhirError if there is none.
   */
  readonly bodyOf: (former: FormerVersion | undefined) => Buffer;
}

/** Times that a write is tried again, each after another write of the record. */
const mostAttempts = 100;

/**
 * Updates a record, or creates one. `find` returns what is replaced, and throws FhirError if it may not be: it is
 * called again if another write comes between, so that what it decides holds in the write. Throws as `write`, and
 * `VersionConflict` if other writes come between again and again.
 */
export async function replace(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { type, bodyOf, bodyId }: ReplacingDraft,
  find: () => Promise<Replaced>,
): Promise<Written> {
  let replaced = await find();
  const placeOf = () => ({ ...request, partition, letter: 'u', bodyId, ...replaced }) as const;
  let body = bodyOf(replaced.former);
  let record = await readClientRecord(engine, type, body, placeOf());
  let begun: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const { id, former, precondition } = replaced;
    const { text, attachments } = settleRecord(engine, type, record, placeOf());
    if (begun !== id) await engine.audit.begin(request, { type: type.name, id, text, key: undefined });
    begun = id;
    const parts = splitForStamp(text, id);
    const required: Precondition =
      precondition ?? (former === undefined ? { is: 'absent' } : { is: 'version', version: former.version });
    const kept = attachments === undefined ? {} : { attachments };
    const change = { kind: 'put', type: type.name, id, text: parts, precondition: required, ...kept } as const;
    try {
      const [result] = await writeCarrying(partition, [{ change, contents: record.contents }], {});
      if (result?.outcome !== 'matched') return await written(partition, type, id, parts, result, record.warnings);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
    if (attempt === mostAttempts) throw new VersionConflict(type.name, id);
    replaced = await find();
    const next = bodyOf(replaced.former);
    if (next === body) continue;
    body = next;
    record = await readClientRecord(engine, type, body, placeOf());
  }
}

async function written(
  partition: Partition,
  type: ResourceType,
  id: string,
  parts: { readonly before: string; readonly after: string },
  result: WriteResult | undefined,
  warnings: readonly Issue[],
): Promise<Written> {
  if (result === undefined) throw new Error('A write gives a result for each change');
  // Another id if a store has given it to an earlier create that was interrupted.
  if ((result.outcome === 'created' || result.outcome === 'updated') && result.id === id) {
    return { ...result, warnings, text: parts.before + stamp(result.version, result.lastUpdated) + parts.after };
  }
  return { ...(await withText(partition, type, result)), warnings };
}

async function withText(partition: Partition, { name }: ResourceType, result: WriteResult): Promise<Written> {
  const there = await partition.read(name, result.id, result.version);
  return { ...result, text: there?.text };
}
