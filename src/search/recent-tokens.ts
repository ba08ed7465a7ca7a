/**
 * What the last page tokens hold, `most` of them: a client mostly follows the link that it has just been given, which then need not be
 * decrypted, and a token of just these characters was authenticated before.
 */
export class RecentTokens<Content> {
  readonly #most: number;
  readonly #contents = new Map<string, Content>();

  constructor(most: number) {
    this.#most = most;
  }

  get(token: string): Content | undefined {
    return this.#contents.get(token);
  }

  /** The oldest goes where there are too many. */
  set(token: string, content: Content): void {
    this.#contents.set(token, content);
    if (this.#contents.size <= this.#most) return;
    const oldest = this.#contents.keys().next();
    if (!oldest.done) this.#contents.delete(oldest.value);
  }
}
