import { stamp } from '../../fhir/resource-text.ts';
import { longestRecord } from '../port/records.ts';

/**
 * Whether the text of a resource exceeds the limit of a store, in bytes of UTF-8 with the stamp of its first version:
 * so that no record exceeds it by the number of its version.
 */
export function isTooLong({ before, after }: { readonly before: string; readonly after: string }): boolean {
  const most = longestRecord - firstStamp;
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  if ((before.length + after.length) * 3 <= most) return false;
  return Buffer.byteLength(before) + Buffer.byteLength(after) > most;
}

const firstStamp = stamp(1, 0).length;
