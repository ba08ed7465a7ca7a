import type { Partition } from '../../store/port/partitions.ts';

/** Key of the mark of a migration in each partition of its target; it is not copied to other stores. */
export const migrationKey = 'migrate';

/** The progress of a migration in a partition. */
export interface Position {
  /** The source store (see `MigrateOptions.source`). */
  readonly source: string;
  /** All types before `type` are copied, and of `type` all up to `id`; undefined at the beginning. */
  readonly at: { readonly type: string; readonly id: string } | undefined;
}

export function printPosition(position: Position): string {
  return JSON.stringify(position);
}

/** Undefined if there was no migration into the partition. */
export async function readPosition(partition: Partition): Promise<Position | undefined> {
  const mark = await partition.mark(migrationKey);
  if (mark === undefined) return undefined;
  const { source, at } = JSON.parse(mark) as Position; // printPosition wrote it
  return { source, at };
}
