import type { Database } from './open.ts';

/** The shared state of the jobs of one commit: one lastUpdated per partition, and the counts. */
export class Commit {
  readonly #database: Database;
  #stamps = new Map<number, number>();
  #keptStamps = new Map<number, number>();
  #counts = new Map<number, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Later than that of any commit before in the partition, also if the clock goes back. */
  lastUpdated(n: number, now: number): number {
    const known = this.#stamps.get(n);
    if (known !== undefined) return known;
    const [last] = this.#database.get('SELECT last_updated FROM partitions WHERE n = ?', [n]) ?? [];
    const stamp = Math.max(now, Number(last) + 1);
    this.#stamps.set(n, stamp);
    this.#database.run('UPDATE partitions SET last_updated = ? WHERE n = ?', [stamp, n]);
    return stamp;
  }

  count(t: number, difference: number): void {
    this.#counts.set(t, (this.#counts.get(t) ?? 0) + difference);
  }

  /** Writes the counts of a successful job. */
  keep(): void {
    for (const [t, difference] of this.#counts)
      this.#database.run('UPDATE types SET resources = resources + ? WHERE t = ?', [difference, t]);
    this.#counts = new Map();
    this.#keptStamps = new Map(this.#stamps);
  }

  /** Discards the counts and stamps of a job that was undone. */
  forget(): void {
    this.#counts = new Map();
    this.#stamps = new Map(this.#keptStamps);
  }
}
