/** Thrown where something is not in memory yet that is read from a store: the work is done again when it has come. */
export class NotRead extends Error {
  readonly reading: Promise<unknown>;

  constructor(reading: Promise<unknown>) {
    super('not read yet');
    this.reading = reading;
    reading.catch(() => undefined); // reported to the one who waits
  }
}

/** Most times that work is begun again. */
const most = 5_000;

/** Does work that may throw NotRead, again and again until nothing is missing. It must change nothing. */
export async function withReads<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  for (let round = 0; ; round += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotRead) || round === most) throw error;
      await error.reading;
    }
  }
}
