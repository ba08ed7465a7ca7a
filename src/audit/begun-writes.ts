import type { AuditEntry } from './log/entry.ts';
import type { ShortEvent } from './short-event.ts';

/**
 * A write that was begun, and of which no event tells how it ended: the server was killed, or it was done a moment ago.
 */
export interface UnfinishedWrite {
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly client: string | undefined;
  /**
   * `Type/id`: the record that it would have written; under the same key it may have got the id of an earlier attempt.
   */
  readonly targets: readonly string[];
}

export interface Begun extends UnfinishedWrite {
  readonly key: string | undefined;
}

/**
 * The writes that were begun and not ended, as far as events tell; those that were tried again under the same key and
 * ended then are not among them. Holds no more than those.
 */
export class BegunWrites {
  readonly #begun = new Map<string, Begun>();

  begin({ recorded, client }: AuditEntry, partition: string, { id, key, target }: ShortEvent): void {
    this.#begun.set(id, { partition, recorded, client, key, targets: target === undefined ? [] : [target] });
  }

  /**
   * What an event ends that tells of it; of the same request, and where that was done, of others under the same key.
   */
  end(ids: readonly string[], isDone: boolean): readonly Begun[] {
    const ended = ids.flatMap(id => this.#begun.get(id) ?? []);
    for (const id of ids) this.#begun.delete(id);
    for (const { key } of isDone ? ended : [])
      if (key !== undefined) for (const [id, other] of this.#begun) if (other.key === key) this.#begun.delete(id);
    return ended;
  }

  left(): readonly Begun[] {
    return [...this.#begun.values()];
  }
}
