/** Concurrent writes: one is written while the next one waits, and the one after it is read. */
const mostInFlight = 2;

/** Writes, two at a time, and the position up to which all of them are durable. */
export class OrderedWrites<Position> {
  /** The position of the durable writes without a gap. */
  durable: Position;
  readonly #sent: { readonly position: Position; isDurable: boolean }[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(durable: Position) {
    this.durable = durable;
  }

  /**
   * Begins a write, after which the work is durable up to a position; resolves when another one may begin, or with
   * `isAlone` when this one has ended. Throws the error of an earlier write.
   */
  async send(position: Position, write: () => Promise<unknown>, isAlone = false): Promise<void> {
    const run = this.#run(position, write);
    this.#inFlight.add(run);
    void run.finally(() => this.#inFlight.delete(run));
    if (isAlone) await run;
    while (this.#inFlight.size >= mostInFlight) await Promise.race(this.#inFlight);
    this.#throwFailure();
  }

  /** All writes are durable when it resolves. Throws the error of one. */
  async end(): Promise<void> {
    await Promise.all(this.#inFlight);
    this.#throwFailure();
  }

  async #run(position: Position, write: () => Promise<unknown>): Promise<void> {
    const sent = { position, isDurable: false };
    this.#sent.push(sent);
    try {
      await write();
    } catch (error) {
      this.#failure ??= { error };
      return;
    }
    sent.isDurable = true;
    while (this.#sent[0]?.isDurable === true) this.durable = this.#sent.shift()?.position ?? this.durable;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
