/** When a warm-up ends: whichever comes first. */
export interface WarmUp {
  /** Answers of the service. */
  readonly requests: number;
  readonly seconds: number;
}

/**
 * What V8 needs until the service's code is compiled for good: it is optimized for a second or two, and once more after
 * the first collections of the whole heap, which forget the types of objects that only a start has. Until then a search
 * costs a tenth more. Costs that do not fall say nothing: they wobble by more from pass to pass.
 */
export const untilSettled: WarmUp = { requests: 450_000, seconds: 100 };

/** Enough where the service is compared with itself only, which is not settled on both sides alike. */
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
