import type { WriteOutcome, WriteResult } from '../port/records.ts';

/** The original outcome of a change, from a repeated result. */
export function firstOutcome({ outcome, first }: Pick<WriteResult, 'outcome' | 'first'>): WriteOutcome {
  const kept = outcome === 'repeated' ? first : outcome;
  if (kept === undefined) throw new Error('A repeated result lacks its original outcome');
  return kept;
}
