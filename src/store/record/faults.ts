import { isObject } from '../../fhir/json-object.ts';
import type { StoredVersion } from '../port/records.ts';
import type { KeptVersion, StoreFinding } from '../port/transfer.ts';
import { recordDigest } from './digest.ts';

/**
 * The fault of a version: its text is not JSON, it differs from its digest, or its text differs from its key.
 * `partition` is the key of the partition in the store. Undefined if there is none.
 */
export function versionFinding(
  partition: number | string,
  version: KeptVersion,
  digest: string | undefined,
): Pick<StoreFinding, 'is' | 'why'> | undefined {
  const fault = versionFault(version);
  if (fault === 'text') return { is: 'text', why: 'its text is not JSON' };
  if (recordDigest(partition, version) !== digest)
    return { is: 'altered', why: 'it differs from what was written: its digest is another' };
  if (fault === 'stamp') return { is: 'stamp', why: 'its text has another type, id, version or time than its key' };
  return undefined;
}

/**
 * The fault of the text of a version: `text`, it is not JSON; `stamp`, it has another type, id, version or time than
 * its key. Undefined if there is none, and for a tombstone.
 */
export function versionFault({ type, id, version, lastUpdated, text }: StoredVersion): 'text' | 'stamp' | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'text';
  }
  if (!isObject(value) || value['resourceType'] !== type || value['id'] !== id) return 'stamp';
  const meta = isObject(value['meta']) ? value['meta'] : {};
  const isRight = meta['versionId'] === String(version) && meta['lastUpdated'] === instantOf(lastUpdated);
  return isRight ? undefined : 'stamp';
}

/** Like `printInstant`; undefined for an invalid time. */
function instantOf(milliseconds: number): string | undefined {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** The fault of a small JSON value; undefined if there is none. */
export function jsonFault(text: unknown): string | undefined {
  return parsed(text) === undefined ? 'it is not JSON' : undefined;
}

/** The fault of the settings of a partition; undefined if there is none. */
export function settingsFault(text: unknown): string | undefined {
  const value = parsed(text)?.value;
  return isObject(value) ? zoneFault(value['zone']) : 'its settings are not JSON';
}

/** Undefined for the name of a time zone. */
export function zoneFault(zone: unknown): string | undefined {
  const wrong = 'its time zone is not valid';
  if (typeof zone !== 'string') return wrong;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone === '' ? wrong : undefined;
  } catch {
    return wrong;
  }
}

function parsed(text: unknown): { readonly value: unknown } | undefined {
  try {
    return typeof text === 'string' ? { value: JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
}
