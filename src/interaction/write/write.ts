import type { Issue } from '../../fhir/outcome.ts';
import { stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { RequirementFailed } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Precondition, Requirement, WriteKey, WriteResult } from '../../store/port/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { readClientRecord, recheckClientRecord, requireReferences, settleRecord } from './client-record.ts';
import type { ClientPlace, ClientRecord, FormerVersion } from './client-record.ts';
import { untilCommitted } from './commit.ts';
import { contextOf } from './client-context.ts';
import { putOf } from './record.ts';

/** A client's resource to write. */
export interface Draft extends Pick<ClientPlace, 'letter' | 'bodyId'> {
  readonly type: ResourceType;
  /**
   * The body, JSON in UTF-8: of a create and an update always the same one, of a patch what it makes of the version
   * before. Overwritten while it is parsed. Throws FhirError if there is none.
   */
  readonly bodyOf: (former: FormerVersion | undefined) => Buffer | Promise<Buffer>;
  readonly key?: WriteKey | undefined;
}

/** The record that a draft leads to. */
export interface Decision {
  readonly id: string;
  /** The version that it replaces; undefined if it creates a record. */
  readonly former: FormerVersion | undefined;
  /** Only if nothing matches; undefined: only if the former version is the current one. */
  readonly precondition?: Precondition | undefined;
  /** What else must hold in the write. */
  readonly requires?: readonly Requirement[] | undefined;
}

export interface WrittenRecord extends WriteResult {
  /** The stored text; undefined if it was deleted since, which only a repeated write can find. */
  readonly text: string | undefined;
  /** The owners of this version, if they are known. */
  readonly owners?: readonly string[] | undefined;
  /** Warnings and notes, which did not reject it. */
  readonly warnings?: readonly Issue[];
}

/**
 * Writes a client's resource in three steps: `decide` returns the record that it leads to, and throws FhirError if it
 * may not be written; then the resource is checked, and what is stored of it is settled; then it is written, with its
 * attachments. If another write comes between, the steps are taken again, so that what they decide holds in the write.
 * Throws FhirError for errors of the resource, 409 if other writes come between again and again, and the errors of
 * `Partition.write`.
 */
export async function writeRecord(
  engine: Engine,
  request: FhirRequest,
  { type, letter, bodyId, bodyOf, key }: Draft,
  decide: () => Decision | Promise<Decision>,
): Promise<WrittenRecord> {
  const { base, access, partition } = request;
  // A repeated write is answered before any check: the definitions may have changed since.
  const [earlier] = key === undefined ? [] : await partition.write([], { key });
  if (earlier !== undefined) return withText(partition, type, earlier);
  const context = contextOf(engine, request);
  const isCreate = letter === 'c';
  const placeOf = ({ id, former }: Decision): ClientPlace =>
    // The id of a new record is not the caller's choice: access is decided without it.
    ({ base, access, partition, letter, bodyId, context, former, id: isCreate ? '' : id });
  let latest: { readonly decision: Decision; readonly body: Buffer; readonly record: ClientRecord } | undefined;
  const settle = async (failure: Error | undefined) => {
    if (failure instanceof RequirementFailed && latest !== undefined)
      await requireReferences(engine, type, latest.record, placeOf(latest.decision));
    const decision = await decide();
    const { id, former, precondition, requires = [] } = decision;
    const place = placeOf(decision);
    const body = await bodyOf(former);
    const parsedBody = latest === undefined && body === request.body ? request.parsed : undefined;
    const record =
      latest?.body === body
        ? await recheckClientRecord(engine, type, latest, place)
        : await readClientRecord(engine, type, body, { ...place, parsed: parsedBody });
    latest = { decision, body, record };
    const { text, attachments, parsed, owners } = settleRecord(engine, type, record, place);
    const required: Precondition =
      precondition ?? (former === undefined ? { is: 'absent' } : { is: 'version', version: former.version });
    const put = { ...putOf(type.name, id, text, parsed), precondition: required };
    return {
      changes: [{ change: attachments === undefined ? put : { ...put, attachments }, contents: record.contents }],
      options: { requires: [...requires, ...record.requires], ...(key === undefined ? {} : { key }) },
      begun: [{ type: type.name, id, text, owners, key: key?.key }],
      acceptsMatch: isCreate,
      id,
      parts: put.text,
      owners,
      warnings: record.warnings,
    };
  };
  const { settled, results } = await untilCommitted(context, request, settle);
  const { id, parts, owners, warnings } = settled;
  const [result] = results;
  if (result === undefined) throw new Error('A write gives a result for each change');
  // Another id if a store has given it to an earlier create that was interrupted.
  if ((result.outcome === 'created' || result.outcome === 'updated') && result.id === id) {
    const text = parts.before + stamp(result.version, result.lastUpdated) + parts.after;
    return { ...result, warnings, owners, text };
  }
  return { ...(await withText(partition, type, result)), warnings };
}

async function withText(partition: Partition, { name }: ResourceType, result: WriteResult): Promise<WrittenRecord> {
  const there = await partition.read(name, result.id, result.version);
  return { ...result, text: there?.text };
}
