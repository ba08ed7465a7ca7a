import type { AuditFilter, AuditLog } from '../store/store.ts';
import { parseShortEvent } from './short-event.ts';

/** A write that was begun, and of which no event tells how it ended: the server was killed, or it was done a moment ago. */
export interface UnfinishedWrite {
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly client: string | undefined;
  /** `Type/id`: the record that it would have written; under the same key it may have got the id of an earlier attempt. */
  readonly targets: readonly string[];
}

/**
 * The writes that were begun and not ended, as far as events tell; those that were tried again under the same key and ended then are
 * not among them. Whether the record is there, whoever asks must look.
 */
export async function unfinishedWrites(audit: AuditLog, filter: AuditFilter): Promise<readonly UnfinishedWrite[]> {
  const begun = new Map<string, Begun>();
  const keys = new Map<string, Set<string>>();
  for await (const { text, partition, recorded, client } of audit.list(filter)) {
    const event = partition === undefined ? undefined : parseShortEvent(text);
    if (partition === undefined || event === undefined) continue;
    const { id, status, begun: ended, key, target } = event;
    if (status === undefined) {
      begun.set(id, { partition, recorded, client, key, targets: target === undefined ? [] : [target] });
      if (key !== undefined && target !== undefined) keys.set(key, (keys.get(key) ?? new Set()).add(target));
      continue;
    }
    for (const one of ended ?? []) {
      const done = begun.get(one)?.key;
      begun.delete(one);
      if (done === undefined || status >= 400) continue;
      for (const [other, { key: same }] of begun) if (same === done) begun.delete(other);
    }
  }
  return [...begun.values()].map(({ key, targets, ...rest }) => ({
    ...rest,
    targets: key === undefined ? targets : [...(keys.get(key) ?? targets)],
  }));
}

interface Begun extends UnfinishedWrite {
  readonly key: string | undefined;
}
