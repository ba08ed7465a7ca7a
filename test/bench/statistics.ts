/** The middle value; of an even number of values the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/**
 * The smallest value that `share` (0 to 1) of the values do not exceed; `sorted` is in ascending order. NaN for none.
 */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** The median of what each value is of its partner: pairs were measured side by side, so that noise hits both. */
export function medianRatio(values: readonly number[], partners: readonly number[]): number {
  return median(values.slice(0, partners.length).map((value, at) => value / (partners[at] ?? NaN)));
}
