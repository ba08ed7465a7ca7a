/** A lock that many may share, or one has alone. Whoever waits longest comes first. */
export class Lock {
  #sharing = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly go: () => void }[] = [];

  async share<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(false);
    try {
      return await work();
    } finally {
      this.#sharing -= 1;
      this.#next();
    }
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(true);
    try {
      return await work();
    } finally {
      this.#isAlone = false;
      this.#next();
    }
  }

  async #enter(alone: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ alone, go: resolve });
    this.#next();
    await promise;
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || this.#isAlone || (first.alone && this.#sharing > 0)) return;
      this.#waiting.shift();
      if (first.alone) this.#isAlone = true;
      else this.#sharing += 1;
      first.go();
    }
  }
}
