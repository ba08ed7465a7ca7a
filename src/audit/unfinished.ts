import { asString, isObject, objectsOf } from '../definitions/json-object.ts';
import type { JsonObject } from '../definitions/json-object.ts';
import type { AuditFilter, AuditLog } from '../store/store.ts';
import { begunText } from './request-event.ts';
import { systems } from './systems.ts';

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
    if (partition === undefined || !text.includes('"code":"rest"')) continue;
    const isBegun = text.includes(begunText);
    if (!isBegun && begun.size === 0) continue;
    const event = JSON.parse(text) as JsonObject;
    const { requestId, key, targets } = told(event);
    const id = `${partition} ${requestId}`;
    if (isBegun) {
      begun.set(id, { partition, recorded, client, key, targets });
      if (key === undefined) continue;
      const under = keys.get(key) ?? new Set();
      for (const target of targets) under.add(target);
      keys.set(key, under);
      continue;
    }
    const ended = begun.get(id);
    begun.delete(id);
    if (ended?.key === undefined || event['outcome'] !== '0') continue;
    for (const [other, { key: same }] of begun) if (same === ended.key) begun.delete(other);
  }
  return [...begun.values()].map(({ key, targets, ...rest }) => ({
    ...rest,
    targets: key === undefined ? targets : [...(keys.get(key) ?? targets)],
  }));
}

interface Begun extends UnfinishedWrite {
  readonly key: string | undefined;
}

function told(event: JsonObject): { requestId: string; key: string | undefined; targets: readonly string[] } {
  let requestId = '';
  let key: string | undefined;
  const targets: string[] = [];
  for (const { what, type, role } of objectsOf(event['entity'])) {
    const identifier = isObject(what) && isObject(what['identifier']) ? what['identifier'] : {};
    const value = asString(identifier['value']);
    if (isObject(type) && type['system'] === systems.basic) requestId = value ?? '';
    if (identifier['system'] === systems.key) key = value;
    const reference = isObject(what) ? asString(what['reference']) : undefined;
    if (reference !== undefined && isObject(role) && role['code'] === '4') targets.push(reference);
  }
  return { requestId, key, targets };
}
