import type { Partition } from '../../store/partitions.ts';

/** Key of the mark that a migration keeps in each partition of its target; it is not copied to other stores. */
export const migrationKey = 'migrate';

/** How far a migration came in a partition. */
export interface Position {
  /** Which store is copied (see `MigrateOptions.source`). */
  readonly source: string;
  /** All of the types before `type` is there, and of `type` all up to `id`; undefined at the beginning. */
  readonly at: { readonly type: string; readonly id: string } | undefined;
}

export function printPosition(position: Position): string {
  return JSON.stringify(position);
}

/** Undefined where no migration has worked on the partition. */
export async function readPosition(partition: Partition): Promise<Position | undefined> {
  const mark = await partition.mark(migrationKey);
  if (mark === undefined) return undefined;
  const { source, at } = JSON.parse(mark) as Position; // printPosition wrote it
  return { source, at };
}
