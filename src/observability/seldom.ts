/** Returns true at the first call, and then at most once per interval: a rate limit for log lines. */
export function seldom(milliseconds: number): () => boolean {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}
