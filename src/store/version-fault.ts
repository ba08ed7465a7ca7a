import { isObject } from '../definitions/json-object.ts';
import type { StoredVersion } from './store.ts';

/**
 * What is wrong with the text of a version, by itself: `text`, it is not JSON; `stamp`, it says another type, id, version or time
 * than it is kept under. Undefined where nothing is, and for a tombstone.
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
