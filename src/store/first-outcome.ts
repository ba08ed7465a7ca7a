import type { WriteOutcome, WriteResult } from './records.ts';

/** What a result says that came of its change when it was written. */
export function firstOutcome({ outcome, first }: Pick<WriteResult, 'outcome' | 'first'>): WriteOutcome {
  const kept = outcome === 'repeated' ? first : outcome;
  if (kept === undefined) throw new Error('A repeated result does not say what it was first');
  return kept;
}
