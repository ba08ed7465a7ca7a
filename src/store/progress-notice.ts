/** How often progress is reported, in milliseconds. */
const every = 2_000;

/** Reports the progress of a long step of the start: its first slice, then at most every two seconds, and its end. */
export function createProgressNotice(
  notice: ((text: string) => void) | undefined,
  what: string,
  of: number,
): (done: number) => void {
  let last = -Infinity;
  return done => {
    const now = performance.now();
    if (done < of && now - last < every) return;
    last = now;
    notice?.(`${what}: ${Math.min(done, of)} of ${of} records`);
  };
}
