import type { AuditEntry } from '../store/audit/line.ts';
import type { Partition } from '../store/port/partitions.ts';
import type { Store } from '../store/port/store.ts';

/** A record that an event reports as written, and that the store does not have. */
export interface LostWrite {
  readonly partition: string;
  /** The time of the event, in milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly client: string | undefined;
  /** `Type/id`, or `Type/id/_history/version`. */
  readonly record: string;
  readonly why: string;
}

/** How many records are looked up together, and how many of a partition are listed. */
const lookupBatch = 200;
const maxListed = 10_000;

interface ExpectedRecord extends Omit<LostWrite, 'why'> {
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

interface Lost {
  readonly named: LostWrite[];
  /** The times of the events of the others. */
  readonly more: number[];
}

/** Looks records up in the store in batches, and holds those that are missing. */
export class LostWrites {
  readonly #store: Pick<Store, 'partition'>;
  readonly #lost = new Map<string, Lost>();
  #waiting: ExpectedRecord[] = [];

  constructor(store: Pick<Store, 'partition'>) {
    this.#store = store;
  }

  /** `Type/id`, or `Type/id/_history/version`. */
  async look({ recorded, client }: AuditEntry, partition: string, records: readonly string[]): Promise<void> {
    for (const record of records) {
      const [type = '', id = '', , version = '1'] = record.split('/');
      this.#waiting.push({ partition, recorded, client, record, type, id, version: Number(version) });
    }
    if (this.#waiting.length >= lookupBatch) await this.#lookNow();
  }

  /** The partition was removed: its former records are not missed. */
  forget(partition: string): void {
    this.#waiting = this.#waiting.filter(wanted => wanted.partition !== partition);
    this.#lost.delete(partition);
  }

  /** A backup of a time was restored: records that were written from then until now are not missed. */
  forgetSince(time: number): void {
    this.#waiting = this.#waiting.filter(({ recorded }) => recorded < time);
    for (const [partition, { named, more }] of this.#lost)
      this.#lost.set(partition, {
        named: named.filter(({ recorded }) => recorded < time),
        more: more.filter(recorded => recorded < time),
      });
  }

  async end(): Promise<{ readonly found: readonly LostWrite[]; readonly more: ReadonlyMap<string, number> }> {
    await this.#lookNow();
    const all = [...this.#lost];
    return {
      found: all.flatMap(([, { named }]) => named),
      more: new Map(all.flatMap(([id, { more }]) => (more.length > 0 ? [[id, more.length] as const] : []))),
    };
  }

  async #lookNow(): Promise<void> {
    const waiting = Map.groupBy(this.#waiting, ({ partition }) => partition);
    this.#waiting = [];
    for (const [id, wanted] of waiting) {
      const partition = await this.#store.partition(id);
      const there = partition === undefined ? undefined : await versionsOf(partition, wanted);
      for (const one of wanted) {
        const why = whyLost(one, there);
        if (why !== undefined) this.#keep(one, why);
      }
    }
  }

  #keep({ type: _type, id: _id, version: _version, ...write }: ExpectedRecord, why: string): void {
    const lost = this.#lost.get(write.partition) ?? { named: [], more: [] };
    this.#lost.set(write.partition, lost);
    if (lost.named.length < maxListed) lost.named.push({ ...write, why });
    else lost.more.push(write.recorded);
  }
}

type Versions = ReadonlyMap<string, number | 'unreadable'>;

/** The current versions of records by `Type/id`, tombstones included. */
async function versionsOf(partition: Partition, wanted: readonly ExpectedRecord[]): Promise<Versions> {
  try {
    return new Map((await partition.readMany(wanted)).map(({ type, id, version }) => [`${type}/${id}`, version]));
  } catch (error) {
    const [first, ...others] = wanted;
    if (first === undefined) throw error;
    // If the store is damaged, the readable part is used.
    if (others.length === 0) return new Map([[`${first.type}/${first.id}`, 'unreadable']]);
    const found = new Map<string, number | 'unreadable'>();
    for (const one of wanted) for (const [key, version] of await versionsOf(partition, [one])) found.set(key, version);
    return found;
  }
}

/** The finding; undefined if the record exists, or cannot be read, which is another finding. */
function whyLost({ type, id, version }: ExpectedRecord, there: Versions | undefined): string | undefined {
  if (there === undefined) return 'the audit log has its write, but its partition does not exist';
  const found = there.get(`${type}/${id}`);
  if (found === undefined) return 'the audit log has its write, but it does not exist';
  if (found === 'unreadable' || found >= version) return undefined;
  return `the audit log has a write of version ${version}, but the last version is ${found}`;
}
