/**
 * Caches the result of an asynchronous task, and its failure, for a time; concurrent callers share one run. Times in
 * milliseconds.
 */
export function remember<T>(
  work: () => Promise<T>,
  times: { readonly keep: number; readonly keepFailure: number },
  now: () => number,
): () => Promise<T> {
  let current: { readonly result: Promise<T>; until: number } | undefined;
  return () => {
    if (current !== undefined && now() < current.until) return current.result;
    const run = { result: work(), until: Infinity };
    current = run;
    run.result.then(
      () => (run.until = now() + times.keep),
      () => (run.until = now() + times.keepFailure),
    );
    return run.result;
  };
}
