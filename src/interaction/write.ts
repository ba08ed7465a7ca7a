import { splitForStamp, stamp } from '../fhir/resource-text.ts';
import type { ResourceType } from '../model/model.ts';
import { AttachmentMissing } from '../store/store.ts';
import type { Attached, Partition, Precondition, WriteKey, WriteResult } from '../store/store.ts';
import type { Engine, FhirRequest } from './interaction.ts';
import type { Content } from './write/attachment.ts';
import { readRecord } from './write/record.ts';

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
}

/**
 * The one way by which a resource that a client sends comes into the store: checked, its attachments kept apart and durable
 * before the record that refers to them. Throws FhirError for what is wrong with it, and what `Partition.write` throws.
 */
export async function write(
  engine: Engine,
  place: Pick<FhirRequest, 'partition' | 'base'>,
  { type, id, body, precondition, key }: Draft,
): Promise<Written> {
  const { partition } = place;
  // What came before is answered before anything is checked: what it was checked against may have changed since.
  const [earlier] = key === undefined ? [] : ((await partition.repeated(key)) ?? []);
  if (earlier !== undefined) return withText(partition, type, earlier);
  const { text, contents } = await readRecord(engine, type, body, place);
  const parts = splitForStamp(text, id);
  const change = { kind: 'put', type: type.name, id, text: parts, precondition } as const;
  const options = key === undefined ? {} : { key };
  const path = type.attachment?.path ?? '';
  const [result] = await again(async () => {
    const attachments = await keep(partition, contents, path);
    return partition.write([attachments.length === 0 ? change : { ...change, attachments }], options);
  });
  if (result === undefined) throw new Error('A write gives a result for each change');
  if (result.outcome === 'created' || result.outcome === 'updated') {
    return { ...result, text: parts.before + stamp(result.version, result.lastUpdated) + parts.after };
  }
  return withText(partition, type, result);
}

async function withText(partition: Partition, { name }: ResourceType, result: WriteResult): Promise<Written> {
  const there = await partition.readVersion(name, result.id, result.version);
  return { ...result, text: there?.text };
}

async function keep(partition: Partition, contents: readonly Content[], path: string): Promise<readonly Attached[]> {
  const kept: Attached[] = [];
  for (const { bytes, owner } of contents) {
    kept.push({ path, ...(await partition.putAttachment(bytes)), contentType: String(owner['contentType']) });
  }
  return kept;
}

/** Once more where bytes that nothing referred to went away in between. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AttachmentMissing) return work();
    throw error;
  }
}
