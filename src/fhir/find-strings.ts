import { maxLevels } from './json.ts';

/** A string in JSON bytes: from after its opening quote up to its closing one, with its escapes. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The string values at a path of property names (ASCII) from the root, in order, through arrays. Reads the bytes once
 * and creates no strings. It tokenises like JSON and checks nothing else, so that the bytes around the spans must be
 * parsed strictly: up to the first error both see the same tokens. Stops at its first doubt, and after `most` strings.
 * https://www.rfc-editor.org/rfc/rfc8259
 */
export function findStrings(bytes: Buffer, path: readonly string[], most = Infinity): readonly Span[] {
  const found: Span[] = [];
  // For each open object or array: how many names of the path lead to it, -1 for one off the path; and which of both it
  // is.
  const matched: number[] = [];
  const objects: boolean[] = [];
  let depth = 0;
  let inName = false;
  let next = 0;
  for (let at = 0; at < bytes.length && found.length < most; at++) {
    switch (bytes[at] as number /* at is within them */) {
      case 0x22: {
        const end = stringEnd(bytes, at + 1);
        if (end === -1) return found;
        if (inName) {
          const level = matched[depth - 1] ?? -1;
          next = level >= 0 && isName(bytes, at + 1, end, path[level]) ? level + 1 : -1;
        } else if (next === path.length) found.push({ from: at + 1, to: end });
        at = end;
        break;
      }
      case 0x7b:
      case 0x5b:
        if (depth === maxLevels) return found; // no parser here nests deeper
        matched[depth] = next;
        objects[depth++] = inName = bytes[at] === 0x7b;
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
        break;
      default: // white space, and characters that neither open nor end anything
    }
  }
  return found;
}

/** The closing quote of the string whose content begins at `from`; -1 if there is none. */
function stringEnd(bytes: Buffer, from: number): number {
  let quote = bytes.indexOf(0x22, from);
  while (quote !== -1) {
    let before = quote - 1;
    while (before >= from && bytes[before] === 0x5c) before--;
    if ((quote - before) % 2 === 1) return quote;
    quote = bytes.indexOf(0x22, quote + 1);
  }
  return -1;
}

/** True if the name between two quotes is `name`, also with escapes. */
function isName(bytes: Buffer, from: number, to: number, name: string | undefined): boolean {
  if (name === undefined || to - from < name.length || to - from > 6 * name.length) return false;
  const text = bytes.toString('latin1', from, to);
  if (!text.includes('\\')) return text === name;
  try {
    return JSON.parse(`"${text}"`) === name;
  } catch {
    return false; // the strict parser rejects the escape
  }
}
