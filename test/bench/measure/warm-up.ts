/** The least and the usual most passes, and the decrease of the cost that is taken for none. */
const least = 3;
const usualMost = 20;
const noise = 0.03;

/**
 * Repeats passes, which return a cost, until two in a row did not make it less by more than 3 %: code that was not run
 * often enough to be optimized is measured too dear, the service's most, which is the longest.
 */
export async function warmUp(pass: () => Promise<number>, most = usualMost): Promise<void> {
  const costs: number[] = [];
  while (costs.length < most && !isSettled(costs)) costs.push(await pass());
}

/** Whether the last two passes cost about as much as the cheapest before them. */
export function isSettled(costs: readonly number[]): boolean {
  if (costs.length < least) return false;
  return Math.min(...costs.slice(-2)) > Math.min(...costs.slice(0, -2)) * (1 - noise);
}
