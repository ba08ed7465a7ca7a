import type { Issue } from '../../fhir/outcome.ts';
import { splitForStamp, stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { writeCarrying } from '../../attachment/write.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Precondition, WriteKey, WriteResult } from '../../store/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { readClientRecord } from './client-record.ts';

/** A resource to write, as received. */
export interface Draft {
  readonly type: ResourceType;
  readonly id: string;
  /** JSON in UTF-8. Overwritten while it is parsed. */
  readonly body: Buffer;
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
 * The one path of a client's resource into the store: it is checked, its attachments are stored and durable before the
 * record that references them. Throws FhirError for its errors, and the errors of `Partition.write`.
 */
export async function write(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { type, id, body, precondition, key }: Draft,
): Promise<Written> {
  // A repeated write is answered before any check: the definitions may have changed since.
  const [earlier] = key === undefined ? [] : await partition.write([], { key });
  if (earlier !== undefined) return withText(partition, type, earlier);
  const { text, contents, warnings } = await readClientRecord(engine, type, body, { ...request, partition });
  const parts = splitForStamp(text, id);
  // Durable before anything is written, so that no write is without an event of its author.
  await engine.audit.begin(request, { type: type.name, id, text, key: key?.key });
  const change = { kind: 'put', type: type.name, id, text: parts, precondition } as const;
  const options = key === undefined ? {} : { key };
  const [result] = await writeCarrying(partition, [{ change, contents }], options);
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
