import { ByteCursor, isName } from './byte-cursor.ts';
import { maxLevels } from './json.ts';

/** A string in JSON bytes: from after its opening quote up to its closing one, with its escapes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The string values at a path of property names (ASCII) from the root, in order, through arrays. Reads the bytes once
 * and creates no strings. The bytes around the spans must still be parsed strictly (byte-cursor.ts). Stops at the first
 * sign of invalid JSON, and after `most` strings.
 */
export function findStrings(bytes: Uint8Array, path: readonly string[], most = Infinity): readonly Span[] {
  const found: Span[] = [];
  // For each open object or array: how many names of the path lead to it, -1 for one off the path; and which of both it
  // is.
  const matched: number[] = [];
  const objects: boolean[] = [];
  let depth = 0;
  let inName = false;
  let next = 0;
  const cursor = new ByteCursor(bytes);
  while (found.length < most) {
    const byte = cursor.next();
    switch (byte) {
      case -1:
        return found;
      case 0x22: {
        const from = cursor.at;
        if (!cursor.skipString()) return found;
        const to = cursor.at - 1;
        if (inName) {
          const level = matched[depth - 1] ?? -1;
          next = level >= 0 && isName(bytes, from, to, path[level]) ? level + 1 : -1;
        } else if (next === path.length) found.push({ from, to });
        break;
      }
      case 0x7b:
      case 0x5b:
        if (depth === maxLevels) return found; // no parser here nests deeper
        matched[depth] = next;
        objects[depth++] = inName = byte === 0x7b;
        break;
      case 0x7d:
      case 0x5d:
        if (depth === 0) return found;
        depth--;
        inName = false;
        next = matched[depth - 1] ?? -1;
        break;
      case 0x3a:
        inName = false;
        break;
      case 0x2c:
        inName = objects[depth - 1] ?? false;
        next = matched[depth - 1] ?? -1;
    }
  }
  return found;
}
