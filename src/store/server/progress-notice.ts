/** How often progress is reported, in milliseconds. */
const every = 2_000;

/**
 * Reports the progress of a long step of the start: its first slice, then at most every two seconds, and its end.
 * Progress that takes a read is given as a function, which is called only for a report.
 */
export function createProgressNotice(
  notice: ((text: string) => void) | undefined,
  what: string,
  of: number,
): (done: number | (() => Promise<number>)) => Promise<void> {
  let [last, reported] = [-Infinity, -1];
  return async read => {
    if (read !== of && performance.now() - last < every) return;
    const done = Math.min(of, typeof read === 'number' ? read : await read());
    if (done !== reported) notice?.(`${what}: ${done} of ${of} records`);
    [last, reported] = [performance.now(), done];
  };
}
