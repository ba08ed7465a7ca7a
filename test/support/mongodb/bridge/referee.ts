import type { Document } from 'mongodb';
import type { Call } from './call.ts';
import { Refusal } from './errors.ts';
import { isSame, namesAll, reachOf, type ShardKey, valueIn } from './shards.ts';

// What a sharded cluster of MongoDB 7.0 refuses.

/** A write of a sharded collection. */
export interface CheckedWrite {
  readonly namespace: string;
  readonly key: ShardKey;
  readonly name: string;
  readonly command: Document;
  readonly call: Call;
  /** Reads the first document that a filter finds. */
  readonly read: (filter: Document) => Promise<Document | undefined>;
}

/** Throws `Refusal` if a write lacks the shard key where it is needed, or changes it where that is not allowed. */
export async function checkWrite(write: CheckedWrite): Promise<void> {
  const { name, command } = write;
  if (name === 'update') {
    const updates = (command['updates'] ?? []) as readonly Document[];
    for (const { q, u, multi, upsert } of updates) {
      const isMulti = multi === true;
      if (upsert === true && !namesAll(write.key, q as Document)) throw notFound('upsert');
      if (!isMulti) checkTarget(write, q as Document, 72, 'InvalidOptions');
      await checkKeyChange(write, { filter: q as Document, update: u, isMulti, statements: updates.length });
    }
  }
  if (name === 'delete')
    for (const { q, limit } of (command['deletes'] ?? []) as readonly Document[])
      if (Number(limit) === 1) checkTarget(write, q as Document, 61, 'ShardKeyNotFound');
  if (name === 'findAndModify') {
    // https://www.mongodb.com/docs/v7.0/reference/command/findAndModify/#sharded-collections
    const filter = (command['query'] ?? {}) as Document;
    if (!namesAll(write.key, filter)) throw notFound('findAndModify');
    const { update } = command;
    if (update !== undefined) await checkKeyChange(write, { filter, update, isMulti: false, statements: 1 });
  }
}

/**
 * A write of one document names one place, or `_id`.
 * https://www.mongodb.com/docs/v7.0/core/sharded-cluster-requirements/#single-document-modification-operations-in-sharded-collections
 */
function checkTarget({ namespace, key, name }: CheckedWrite, filter: Document, code: number, codeName: string): void {
  if (valueIn(filter, '_id') !== undefined || reachOf(namespace, key, filter).is === 'one') return;
  throw new Refusal(
    code,
    codeName,
    `A single ${name} on a sharded collection must contain an exact match on _id or target a single shard`,
  );
}

/** https://www.mongodb.com/docs/v7.0/reference/command/update/#upsert-on-a-sharded-collection */
const notFound = (what: string): Refusal =>
  new Refusal(61, 'ShardKeyNotFound', `The filter of a sharded ${what} must contain the shard key`);

interface KeyChange {
  readonly filter: Document;
  readonly update: unknown;
  readonly isMulti: boolean;
  /** Statements of the whole command. */
  readonly statements: number;
}

/** https://www.mongodb.com/docs/v7.0/core/sharding-change-a-document-s-shard-key-value/ */
async function checkKeyChange(write: CheckedWrite, change: KeyChange): Promise<void> {
  const { key, call, read } = write;
  const { filter, update, isMulti, statements } = change;
  const assigned = assignedBy(update, Object.keys(key));
  if (assigned === undefined) return;
  const isNamed = namesAll(key, filter);
  // What the filter does not say is what the document has.
  const before = isNamed ? undefined : await read(filter);
  if (!isNamed && before === undefined) return;
  const isChanged = Object.entries(assigned).some(
    ([field, value]) => !isSame(value, isNamed ? valueIn(filter, field) : before?.[field]),
  );
  if (!isChanged) return;
  if (isMulti)
    throw new Refusal(
      72,
      'InvalidOptions',
      'Multi-update operations are not allowed when updating the shard key field',
    );
  if (!isNamed)
    throw new Refusal(
      31_025,
      'Location31025',
      'Shard key update is not allowed without specifying the full shard key in the query',
    );
  if (!call.inTransaction && call.number === undefined)
    throw new Refusal(
      20,
      'IllegalOperation',
      'Must run update to shard key field in a multi-statement transaction or with retryWrites: true',
    );
  if (statements > 1)
    throw new Refusal(
      72,
      'InvalidOptions',
      'Document shard key value updates that cause the doc to move shards must be sent with write batch of size 1',
    );
}

/** The fields of the key to which an update gives a value; undefined if there are none. A pipeline gives none here. */
function assignedBy(update: unknown, fields: readonly string[]): Document | undefined {
  if (Array.isArray(update)) return undefined;
  const of = update as Document;
  const isReplacement = !Object.keys(of).some(name => name.startsWith('$'));
  // A replacement that does not name `_id` leaves it.
  const values = isReplacement ? of : { ...(of['$set'] as Document), ...(of['$unset'] as Document) };
  const assigned = fields.filter(field => (isReplacement && field !== '_id') || Object.hasOwn(values, field));
  return assigned.length === 0
    ? undefined
    : Object.fromEntries(assigned.map(field => [field, values[field] as unknown]));
}

/**
 * A unique index begins with the whole shard key, which is not hashed.
 * https://www.mongodb.com/docs/v7.0/core/index-unique/#sharded-clusters
 */
export function checkIndexes(key: ShardKey, { indexes }: Document): void {
  const fields = Object.keys(key);
  const isHashed = Object.values(key).includes('hashed');
  for (const index of indexes as readonly Document[]) {
    const names = Object.keys(index['key'] as Document);
    const begins = !isHashed && fields.every((field, at) => names[at] === field);
    if (index['unique'] === true && !begins)
      throw new Refusal(
        67,
        'CannotCreateIndex',
        `cannot create unique index over { ${names.join(', ')} } with shard key pattern { ${fields.join(', ')} }`,
      );
  }
}

/** Throws `Refusal` for stages that may not read or write a sharded collection there. */
export function checkPipeline(
  stages: readonly Document[],
  { inTransaction }: Pick<Call, 'inTransaction'>,
  isSharded: (collection: string) => boolean,
): void {
  for (const stage of stages) {
    const [name = ''] = Object.keys(stage);
    const value = stage[name] as Document | string;
    const from = typeof value === 'string' ? value : String(value['from'] ?? value['coll']);
    // https://www.mongodb.com/docs/v7.0/reference/operator/aggregation/lookup/#sharded-collection-restrictions
    if ((name === '$lookup' || name === '$graphLookup') && inTransaction && isSharded(from))
      throw new Refusal(
        name === '$lookup' ? 3_904_800 : 3_904_801,
        'Location3904800',
        `Cannot run ${name} with a sharded foreign collection in a transaction`,
      );
    // https://www.mongodb.com/docs/v7.0/reference/operator/aggregation/unionWith/#restrictions
    if (name === '$lookup' && typeof value !== 'string')
      for (const inner of (value['pipeline'] ?? []) as readonly Document[])
        if (isSharded(String((inner['$unionWith'] as Document | undefined)?.['coll'])))
          throw new Refusal(51_069, 'Location51069', 'The $unionWith collection in a $lookup cannot be sharded');
    // https://www.mongodb.com/docs/v7.0/reference/operator/aggregation/out/
    if (name === '$out' && isSharded(from))
      throw new Refusal(28_769, 'Location28769', `${from} is sharded so it cannot be used for $out`);
  }
}
