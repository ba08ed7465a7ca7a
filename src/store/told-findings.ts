import type { StoreFinding } from './transfer.ts';

/** What was told before. */
export type Told = Set<string>;

/**
 * Whether a finding says nothing new; it is told from now on. A record that is damaged is told once, whatever comes of
 * that.
 */
export function isTold(told: Told, { is, partition = '', what, why }: StoreFinding): boolean {
  const key = JSON.stringify([partition, what, isOfRecord.has(is) ? '' : why]);
  if (told.has(key)) return true;
  told.add(key);
  return false;
}

const isOfRecord: ReadonlySet<StoreFinding['is']> = new Set(['unreadable', 'lost', 'altered', 'text', 'stamp']);
