/** Type and id of a record. */
interface Key {
  readonly type: string;
  readonly id: string;
}

/** A set of records by type and id: cheaper than one of texts that are made of both. */
export class Seen {
  readonly #ids = new Map<string, Set<string>>();
  #size = 0;

  constructor(records: readonly Key[]) {
    for (const record of records) this.add(record);
  }

  get size(): number {
    return this.#size;
  }

  has({ type, id }: Key): boolean {
    return this.#ids.get(type)?.has(id) === true;
  }

  /** False if it is in the set already. */
  add({ type, id }: Key): boolean {
    const ids = this.#ids.get(type);
    if (ids?.has(id) === true) return false;
    this.#size += 1;
    if (ids === undefined) this.#ids.set(type, new Set([id]));
    else ids.add(id);
    return true;
  }
}
