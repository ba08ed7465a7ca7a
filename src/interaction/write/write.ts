import type { ParsedJson } from '../../fhir/json.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { splitForStamp, stamp } from '../../fhir/resource-text.ts';
import type { ResourceType } from '../../model/model.ts';
import { writeCarrying } from '../../attachment/write.ts';
import { RequirementFailed, VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { Precondition, Requirement, WriteKey, WriteResult } from '../../store/port/records.ts';
import { tooManyWrites } from '../if-match.ts';
import type { Engine, FhirRequest } from '../interaction.ts';
import { readClientRecord, recheckClientRecord, requireReferences, settleRecord } from './client-record.ts';
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
  /** The owners of this version, if they are known. */
  readonly owners?: readonly string[] | undefined;
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
  const { base, access } = request;
  const place = { base, access, partition, letter: 'c', id: '', bodyId: 'ignored', former: undefined } as const;
  const record = await readClientRecord(engine, type, body, { ...place, parsed: parsedOf(request, body) });
  const { text, parsed, owners } = settleRecord(engine, type, record, place);
  // Durable before the record, so that no record is without an event of its author.
  await engine.audit.begin(request, { type: type.name, id, text, owners, key: key?.key });
  const parts = splitForStamp(text, id);
  const change = { kind: 'put', type: type.name, id, text: parts, ...withParsed(parsed, id), precondition } as const;
  const options = { requires: record.requires, ...(key === undefined ? {} : { key }) };
  const carrying = [{ change, contents: record.contents }];
  const [result] = await untilMet(
    () => writeCarrying(partition, carrying, options),
    () => requireReferences(engine, type, record, place),
  );
  return written(partition, type, { id, parts, owners, warnings: record.warnings }, result);
}

/** Repeats a write while what it requires fails, but holds again when it is checked. Throws what `check` throws. */
async function untilMet<T>(write: () => Promise<T>, check: () => Promise<void>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof RequirementFailed)) throw error;
      await check();
      if (attempt === mostAttempts) throw tooManyWrites();
    }
  }
}

/** What an update replaces. */
export interface Replaced {
  readonly id: string;
  /** The version that it replaces; undefined if it creates a record. */
  readonly former: FormerVersion | undefined;
  /** Only if nothing matches; undefined: only if the former version is the current one. */
  readonly precondition?: Precondition | undefined;
  /** What else must hold in the write. */
  readonly requires?: readonly Requirement[] | undefined;
}

/** A resource that replaces another version. */
export interface ReplacingDraft extends Pick<Draft, 'type'>, Pick<ClientPlace, 'bodyId'> {
  /**
   * The body that replaces a version, JSON in UTF-8: of an update always the same one, of a patch what it makes of this
   * version. Throws FhirError if there is none.
   */
  readonly bodyOf: (former: FormerVersion | undefined) => Buffer | Promise<Buffer>;
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
  const { base, access } = request;
  const placeOf = () => ({ base, access, partition, letter: 'u', bodyId, ...replaced }) as const;
  let body = await bodyOf(replaced.former);
  let record = await readClientRecord(engine, type, body, { ...placeOf(), parsed: parsedOf(request, body) });
  let begun: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const { id, former, precondition, requires = [] } = replaced;
    const { text, attachments, parsed, owners } = settleRecord(engine, type, record, placeOf());
    if (begun !== id) await engine.audit.begin(request, { type: type.name, id, text, owners, key: undefined });
    begun = id;
    const parts = splitForStamp(text, id);
    const required: Precondition =
      precondition ?? (former === undefined ? { is: 'absent' } : { is: 'version', version: former.version });
    const kept = { ...(attachments && { attachments }), ...withParsed(parsed, id) };
    const change = { kind: 'put', type: type.name, id, text: parts, precondition: required, ...kept } as const;
    try {
      const options = { requires: [...requires, ...record.requires] };
      const [result] = await writeCarrying(partition, [{ change, contents: record.contents }], options);
      if (result?.outcome !== 'matched')
        return await written(partition, type, { id, parts, owners, warnings: record.warnings }, result);
    } catch (error) {
      if (error instanceof RequirementFailed) await requireReferences(engine, type, record, placeOf());
      else if (!(error instanceof VersionConflict)) throw error;
    }
    if (attempt === mostAttempts) throw new VersionConflict(type.name, id);
    replaced = await find();
    const next = await bodyOf(replaced.former);
    record =
      next === body
        ? await recheckClientRecord(engine, type, { body, record }, placeOf())
        : await readClientRecord(engine, type, next, placeOf());
    body = next;
  }
}

/** The parsed body of a request, if it is the body that is written. */
const parsedOf = (request: FhirRequest, body: Buffer): FhirRequest['parsed'] =>
  body === request.body ? request.parsed : undefined;

/** The parsed resource as it is stored: with its id, which may not be that of the body. */
function withParsed(parsed: ParsedJson | undefined, id: string): { readonly parsed?: ParsedJson } {
  if (parsed === undefined || !isObject(parsed.value)) return {};
  return { parsed: parsed.value['id'] === id ? parsed : { ...parsed, value: { ...parsed.value, id } } };
}

interface WrittenParts extends Pick<Written, 'owners'> {
  readonly id: string;
  readonly parts: { readonly before: string; readonly after: string };
  readonly warnings: readonly Issue[];
}

async function written(
  partition: Partition,
  type: ResourceType,
  { id, parts, owners, warnings }: WrittenParts,
  result: WriteResult | undefined,
): Promise<Written> {
  if (result === undefined) throw new Error('A write gives a result for each change');
  // Another id if a store has given it to an earlier create that was interrupted.
  if ((result.outcome === 'created' || result.outcome === 'updated') && result.id === id) {
    return {
      ...result,
      warnings,
      owners,
      text: parts.before + stamp(result.version, result.lastUpdated) + parts.after,
    };
  }
  return { ...(await withText(partition, type, result)), warnings };
}

async function withText(partition: Partition, { name }: ResourceType, result: WriteResult): Promise<Written> {
  const there = await partition.read(name, result.id, result.version);
  return { ...result, text: there?.text };
}
