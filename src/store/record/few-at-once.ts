/**
 * Processes items concurrently, no more than `most` at a time, and returns the results in the order of the items. After
 * a failure no further item is begun; rejects with it once the running ones have ended.
 */
export async function fewAtOnce<T, R>(
  items: Iterable<T>,
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const left = [...items].entries();
  const takeTurns = async (): Promise<void> => {
    for (const [at, item] of left) {
      try {
        results[at] = await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: most }, takeTurns));
  if (failures.length > 0) throw failures[0];
  return results;
}
