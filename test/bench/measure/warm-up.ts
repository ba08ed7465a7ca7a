import { median } from '../statistics.ts';

/** How many passes are compared with as many before them, the usual most, and the decrease that is taken for none. */
const compared = 4;
const usualMost = 30;
const noise = 0.02;

/**
 * Repeats passes, which return a cost, until the last four did not cost 2 % less than the four before them (medians):
 * code that was not run often enough to be optimized is measured too dear, the service's most, which is the longest.
 */
export async function warmUp(pass: (number: number) => Promise<number>, most = usualMost): Promise<void> {
  const costs: number[] = [];
  while (costs.length < most && !isSettled(costs)) costs.push(await pass(costs.length));
}

/** Whether the last passes cost about as much as those before them. Single passes wobble by more than they settle. */
export function isSettled(costs: readonly number[]): boolean {
  if (costs.length < 2 * compared) return false;
  return median(costs.slice(-compared)) > median(costs.slice(-2 * compared, -compared)) * (1 - noise);
}
