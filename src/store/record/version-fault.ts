import { isObject } from '../../fhir/json-object.ts';
import { recordDigest } from './record-digest.ts';
import type { KeptVersion, StoreFinding } from '../port/transfer.ts';
import type { StoredVersion } from '../port/records.ts';

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
