import type { Mark } from '../port/records.ts';
import { marks } from './collections.ts';
import { type Core, type Step, withSession } from './core.ts';

/** Writes a mark of a partition, after the changes that it records. */
export async function keepMark({ database }: Core, p: string, mark: Mark | undefined, step: Step = {}): Promise<void> {
  if (mark === undefined) return;
  const set = { $set: { value: mark.value } };
  await marks(database).updateOne({ _id: `${p}/${mark.key}` }, set, { upsert: true, ...withSession(step) });
}
