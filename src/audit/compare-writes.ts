import type { AuditEntry, AuditFilter } from '../store/audit/line.ts';
import type { Store } from '../store/port/store.ts';
import type { AuditLog } from './log/log.ts';
import { LostWrites } from './lost-writes.ts';
import type { LostWrite } from './lost-writes.ts';
import { parseShortEvent } from './short-event.ts';
import type { ShortEvent } from './short-event.ts';

/** The result of comparing the writes in the audit log with the store. */
export interface ComparedWrites {
  /** Records that an event reports as written, and that the store does not have. */
  readonly lost: readonly LostWrite[];
  /** How many more there are than listed, by partition. */
  readonly more: ReadonlyMap<string, number>;
  /** Writes without an outcome. The caller checks whether their records exist. */
  readonly unfinished: readonly UnfinishedWrite[];
}

/**
 * Reads the audit log and checks that the store has each written record: deleted ones exist as tombstones. Records of a
 * removed partition, and records after the backup that was restored, are not missed. Memory holds findings and open
 * writes, whatever the length of the log.
 */
export async function compareWrites(
  audit: AuditLog,
  store: Pick<Store, 'partition'>,
  filter: AuditFilter,
): Promise<ComparedWrites> {
  const begun = new BegunWrites();
  const lost = new LostWrites(store);
  // The restoration of a backup is an event of no partition.
  const { partition: wanted, ...others } = filter;
  for await (const entry of audit.list(others)) {
    const { partition } = entry;
    const restored = partition === undefined ? restoredTime(entry) : undefined;
    if (restored !== undefined) lost.forgetSince(restored);
    if (partition === undefined || (wanted !== undefined && partition !== wanted)) continue;
    const event = parseShortEvent(entry.text);
    if (event === undefined) {
      if (isRemoval(entry)) lost.forget(partition);
    } else if (event.status === undefined) begun.begin(entry, partition, event);
    else if (event.begun !== undefined) {
      const isDone = event.status < 400;
      const ended = begun.end(event.begun, isDone);
      if (isDone) await lost.look(entry, partition, leftBy(event, ended));
    }
  }
  const { found, more } = await lost.end();
  return { lost: found, more, unfinished: await withTargets(audit, filter, begun.left()) };
}

/** The versions that a write left: those that it returned, or if it returned none, its targets. */
function leftBy({ records = [] }: ShortEvent, ended: readonly Begun[]): readonly string[] {
  return records.length > 0 ? records : ended.flatMap(({ targets }) => targets);
}

/** The time of the backup whose restoration an event reports; undefined for other events. */
function restoredTime({ text }: AuditEntry): number | undefined {
  if (!text.includes('"restore"')) return undefined;
  const { subtype, outcome, entity } = JSON.parse(text) as CommandText;
  if (subtype?.[0]?.code !== 'restore' || outcome === '8') return undefined;
  const details = (entity ?? []).flatMap(({ detail }) => detail ?? []);
  const time = Date.parse(details.find(({ type }) => type === 'time')?.valueString ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** The properties that are read of a command's AuditEvent. */
interface CommandText {
  readonly subtype?: readonly { readonly code?: string }[];
  readonly outcome?: string;
  readonly entity?: readonly { readonly detail?: readonly { readonly type: string; readonly valueString: string }[] }[];
}

/** Whether an event reports the removal of a partition: its former content is deleted on purpose. */
function isRemoval({ text }: AuditEntry): boolean {
  if (!text.includes('"partition-remove"')) return false;
  const { subtype, outcome } = JSON.parse(text) as CommandText;
  return subtype?.[0]?.code === 'partition-remove' && outcome !== '8';
}

/** With a key, a record may have the id of any attempt: the log is read again for those only. */
async function withTargets(
  audit: AuditLog,
  filter: AuditFilter,
  begun: readonly Begun[],
): Promise<readonly UnfinishedWrite[]> {
  const targets = new Map<string, Set<string>>();
  for (const { key } of begun) if (key !== undefined) targets.set(key, new Set());
  if (targets.size > 0)
    for await (const { text } of audit.list(filter)) {
      const { status, key = '', target } = parseShortEvent(text) ?? {};
      if (status === undefined && target !== undefined) targets.get(key)?.add(target);
    }
  return begun.map(({ key, ...write }) => ({ ...write, targets: [...(targets.get(key ?? '') ?? write.targets)] }));
}

/** A write that was begun, and whose outcome no event reports: the server was killed, or the write is a moment old. */
interface UnfinishedWrite {
  readonly partition: string;
  /** Milliseconds since 1970 UTC. */
  readonly recorded: number;
  readonly client: string | undefined;
  /** `Type/id`: the record of the write; with the same idempotency key it may have got the id of an earlier attempt. */
  readonly targets: readonly string[];
}

interface Begun extends UnfinishedWrite {
  readonly key: string | undefined;
}

/**
 * The begun writes without an outcome, according to events; writes that were retried with the same key and ended then
 * are not among them. Holds only those.
 */
class BegunWrites {
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
