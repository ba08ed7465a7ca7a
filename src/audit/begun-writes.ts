import type { AuditEntry } from '../store/audit/line.ts';
import type { ShortEvent } from './short-event.ts';

/** A write that was begun, and whose outcome no event reports: the server was killed, or the write is a moment old. */
export interface UnfinishedWrite {
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly client: string | undefined;
  /** `Type/id`: the record of the write; with the same idempotency key it may have got the id of an earlier attempt. */
  readonly targets: readonly string[];
}

export interface Begun extends UnfinishedWrite {
  readonly key: string | undefined;
}

/**
 * The begun writes without an outcome, according to events; writes that were retried with the same key and ended then
 * are not among them. Holds only those.
 */
export class BegunWrites {
  readonly #begun = new Map<string, Begun>();

  begin({ recorded, client }: AuditEntry, partition: string, { id, key, target }: ShortEvent): void {
    this.#begun.set(id, { partition, recorded, client, key, targets: target === undefined ? [] : [target] });
  }

  /**
   * Ends the writes of an event with an outcome: those of the same request, and if it succeeded, others with the same
   * key.
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
