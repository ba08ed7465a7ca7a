import { stamp } from '../fhir/resource-text.ts';
import { longestRecord } from './records.ts';

/**
 * Whether the text of a resource is longer than a store takes, in bytes of UTF-8 with the stamp of its first version: so that a
 * record does not become too long by the number of its version.
 */
export function isTooLong({ before, after }: { readonly before: string; readonly after: string }): boolean {
  const most = longestRecord - firstStamp;
  // UTF-8 takes three bytes at most for what UTF-16 counts as one.
  if ((before.length + after.length) * 3 <= most) return false;
  return Buffer.byteLength(before) + Buffer.byteLength(after) > most;
}

const firstStamp = stamp(1, 0).length;
