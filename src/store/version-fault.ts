import { isObject } from '../fhir/json-object.ts';
import { recordDigest } from './record-digest.ts';
import type { KeptVersion, StoreFinding } from './transfer.ts';
import type { StoredVersion } from './records.ts';

/**
 * What is wrong with a version: its text is not JSON, it differs from its digest, or where it has none yet its text
 * says something else than what it is kept under. `partition` is the key by which the store knows the partition.
 * Undefined where nothing is.
 */
export function versionFinding(
  partition: number | string,
  version: KeptVersion,
  digest: string | undefined,
): Pick<StoreFinding, 'is' | 'why'> | undefined {
  const fault = versionFault(version);
  if (fault === 'text') return { is: 'text', why: 'its text is not JSON' };
  if (digest !== undefined && recordDigest(partition, version) !== digest)
    return { is: 'altered', why: 'it is not what was written: its digest is another' };
  if (fault === 'stamp')
    return { is: 'stamp', why: 'its text says another type, id, version or time than it is kept under' };
  return undefined;
}

/**
 * What is wrong with the text of a version, by itself: `text`, it is not JSON; `stamp`, it says another type, id,
 * version or time than it is kept under. Undefined where nothing is, and for a tombstone.
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

/** As `printInstant` has it; undefined for what is no time any more. */
function instantOf(milliseconds: number): string | undefined {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
