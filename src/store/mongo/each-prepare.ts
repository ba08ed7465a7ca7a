import { setImmediate } from 'node:timers/promises';
import { type Conditional, isConditional } from '../port/conditional.ts';
import type { Change, WriteOutcome, WriteResult } from '../port/records.ts';
import { unchanged } from './apply.ts';
import { requireAttachments } from './attachments.ts';
import type { Core, PartitionInfo } from './core.ts';
import { createdBefore } from './created.ts';
import { readMany, type Stored } from './current.ts';
import type { ResourceDocument } from './layout.ts';
import { declared, nextDocument, outcomeOf } from './prepare.ts';

/** Maximum changes of one write, and maximum UTF-16 units of their text. */
const most = { changes: 250, text: 4 * 1024 * 1024 };

/** Number of changes after which the event loop gets a turn. */
const turn = 50;

/** Changes that are written together: no two of the same resource. */
export interface Batch {
  /** The index of the first of them among all. */
  readonly at: number;
  readonly changes: readonly Change[];
  /** `Type/id` */
  readonly keys: ReadonlySet<string>;
}

/** The operation of a change. */
export type Prepared =
  | { readonly kind: 'done'; readonly at: number; readonly result: WriteResult }
  /** Separately, since a bulk write cannot express it. */
  | { readonly kind: 'alone'; readonly at: number; readonly change: Conditional }
  | (Written & { readonly kind: 'insert' })
  | (Written & { readonly kind: 'replace'; readonly current: Stored });

export interface Written {
  readonly at: number;
  readonly change: Change;
  readonly document: ResourceDocument;
  readonly outcome: WriteOutcome;
}

/** Splits changes at a repeated resource, and by number and length. */
export function* batchesOf(changes: readonly Change[]): Iterable<Batch> {
  let batch: Change[] = [];
  let keys = new Set<string>();
  let length = 0;
  for (const [at, change] of changes.entries()) {
    const key = `${change.type}/${change.id}`;
    const longer = change.kind === 'put' ? change.text.before.length + change.text.after.length : 0;
    if (keys.has(key) || batch.length === most.changes || length + longer > most.text) {
      if (batch.length > 0) yield { at: at - batch.length, changes: batch, keys };
      [batch, keys, length] = [[], new Set(), 0];
    }
    batch.push(change);
    keys.add(key);
    length += longer;
  }
  if (batch.length > 0) yield { at: changes.length - batch.length, changes: batch, keys };
}

/**
 * Reads the current versions, and makes the documents that replace them. Throws `VersionConflict`, `AttachmentMissing`,
 * `RecordTooLarge`, Error for an undeclared type.
 */
export async function prepareBatch(
  core: Core,
  partition: PartitionInfo,
  { at: first, changes }: Batch,
  updated: number,
): Promise<readonly Prepared[]> {
  const before = await readBefore(core, partition, changes);
  const steps: Prepared[] = [];
  for (const [index, change] of changes.entries()) {
    if (index % turn === turn - 1) await setImmediate();
    const at = first + index;
    const current = before.get(`${change.type}/${change.id}`);
    steps.push(
      isConditional(change)
        ? { kind: 'alone', at, change }
        : await prepareOne(core, partition, change, current, at, updated),
    );
  }
  return steps;
}

/** Current versions by `Type/id`. The attachments of the changes stay until these are done. */
async function readBefore(
  core: Core,
  { p }: PartitionInfo,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, Stored>> {
  const found = new Map<string, Stored>();
  const ofType = async (type: string, of: readonly Change[]): Promise<void> => {
    const attached = of.flatMap(change => (change.kind === 'put' ? (change.attachments ?? []) : []));
    await requireAttachments(core, p, attached, type);
    const ids = of.map(({ id }) => id);
    for (const [id, stored] of await readMany(core, p, type, ids)) found.set(`${type}/${id}`, stored);
  };
  await Promise.all([...Map.groupBy(changes, ({ type }) => type)].map(([type, of]) => ofType(type, of)));
  return found;
}

async function prepareOne(
  core: Core,
  partition: PartitionInfo,
  change: Change,
  current: Stored | undefined,
  at: number,
  updated: number,
): Promise<Prepared> {
  declared(core, change.type);
  const outcome = outcomeOf(change, current);
  if (outcome === 'unchanged') return { kind: 'done', at, result: unchanged(change, current) };
  const created = await createdBefore(core, partition.p, change.type, current);
  const document = nextDocument(core, partition, change, current, { updated, created });
  if (current === undefined) return { kind: 'insert', at, change, document, outcome };
  return { kind: 'replace', at, change, document, current, outcome };
}
