import type { Issue } from '../../fhir/outcome.ts';
import { splitForStamp, stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { writeCarrying } from '../../attachment/write.ts';
import type { Partition } from '../../store/partitions.ts';
import type { Precondition, WriteKey, WriteResult } from '../../store/records.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { readClientRecord } from './client-record.ts';

/** A resource that is to be written, as it came. */
export interface Draft {
  readonly type: ResourceType;
  readonly id: string;
  /** JSON in UTF-8. Overwritten while it is read. */
  readonly body: Buffer;
  readonly precondition: Precondition;
  readonly key: WriteKey | undefined;
}

export interface Written extends WriteResult {
  /** The text as it is stored; undefined where it is gone since, which only a repeated write can find. */
  readonly text: string | undefined;
  /** What was found in it that kept it from nothing: warnings and notes. */
  readonly told?: readonly Issue[];
}

/**
 * The one way by which a resource that a client sends comes into the store: checked, its attachments kept apart and durable
 * before the record that refers to them. Throws FhirError for what is wrong with it, and what `Partition.write` throws.
 */
export async function write(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { type, id, body, precondition, key }: Draft,
): Promise<Written> {
  // What came before is answered before anything is checked: what it was checked against may have changed since.
  const [earlier] = key === undefined ? [] : ((await partition.repeated(key)) ?? []);
  if (earlier !== undefined) return withText(partition, type, earlier);
  const { text, contents, told } = await readClientRecord(engine, type, body, { ...request, partition });
  const parts = splitForStamp(text, id);
  // Durable before anything is written, so that nothing is written of which nobody knows who did it.
  await engine.audit.begin(request, { type: type.name, id, text, key: key?.key });
  const change = { kind: 'put', type: type.name, id, text: parts, precondition } as const;
  const options = key === undefined ? {} : { key };
  const [result] = await writeCarrying(partition, [{ change, contents }], options);
  if (result === undefined) throw new Error('A write gives a result for each change');
  // Under another id where a store has given it to a create that came before and was cut off.
  if ((result.outcome === 'created' || result.outcome === 'updated') && result.id === id) {
    return { ...result, told, text: parts.before + stamp(result.version, result.lastUpdated) + parts.after };
  }
  return { ...(await withText(partition, type, result)), told };
}

async function withText(partition: Partition, { name }: ResourceType, result: WriteResult): Promise<Written> {
  const there = await partition.read(name, result.id, result.version);
  return { ...result, text: there?.text };
}
