/** Numbers of connections by share. */
export class ConnectionCounts {
  readonly #ofShares = new Map<string | undefined, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(share: string | undefined): number {
    return this.#ofShares.get(share) ?? 0;
  }

  add(share: string | undefined): void {
    this.#total += 1;
    this.#ofShares.set(share, this.of(share) + 1);
  }

  remove(share: string | undefined): void {
    this.#total -= 1;
    const left = this.of(share) - 1;
    if (left > 0) this.#ofShares.set(share, left);
    else this.#ofShares.delete(share);
  }
}
