import { Ids } from './ids.ts';

/** Type and id of a record. */
interface TypeAndId {
  readonly type: string;
  readonly id: string;
}

/** A set of records by type and id: cheaper than one of texts that are made of both. */
export class Seen {
  readonly #ids = new Map<string, Ids>();
  #size = 0;

  constructor(records: readonly TypeAndId[]) {
    for (const record of records) this.add(record);
  }

  get size(): number {
    return this.#size;
  }

  has({ type, id }: TypeAndId): boolean {
    return this.#ids.get(type)?.has(id) === true;
  }

  /** False if it is in the set already. */
  add({ type, id }: TypeAndId): boolean {
    let ids = this.#ids.get(type);
    if (ids === undefined) {
      ids = new Ids();
      this.#ids.set(type, ids);
    }
    if (!ids.add(id)) return false;
    this.#size += 1;
    return true;
  }
}
