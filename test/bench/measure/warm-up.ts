/** When a warm-up ends: whichever comes first. */
export interface WarmUp {
  /** Answers of the service. */
  readonly requests: number;
  readonly seconds: number;
}

/**
 * What V8 needs until the service's code is compiled for good: once in the first seconds, and again after the first
 * collections of the whole heap, at some 300,000 requests. Between the two a search costs some 6 % more. Whether costs
 * still fall cannot be seen: they differ by more from pass to pass.
 */
export const untilSettled: WarmUp = { requests: 450_000, seconds: 100 };

/** Enough where the service is compared with itself: both sides are then compiled as far. */
export const untilCompiled: WarmUp = { requests: 100_000, seconds: 30 };

/** Repeats passes, at least one; each returns how many requests the service answered in it. */
export async function warmUp(pass: (number: number) => Promise<number>, most: WarmUp): Promise<void> {
  const begun = performance.now();
  let requests = 0;
  let passes = 0;
  do {
    requests += await pass(passes);
    passes += 1;
  } while (requests < most.requests && performance.now() - begun < most.seconds * 1_000);
}
