/** True the first time, and then no sooner than so many milliseconds after it was true: for what is logged once in a while. */
export function seldom(milliseconds: number): () => boolean {
  let last = -Infinity;
  return () => {
    const now = performance.now();
    if (now - last < milliseconds) return false;
    last = now;
    return true;
  };
}
