import { maxLevels } from './json.ts';

/** A string in JSON bytes: from behind its opening quote up to its closing one, escapes as they were written. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The string values at a path of property names (ASCII) from the root, in order; arrays on the way are looked through. Reads
 * the bytes once and never makes a string of a value. It tells tokens apart as JSON does and checks nothing else, so that
 * bytes with something else in a span's place must be parsed strictly: up to the first error both see the same tokens. Stops
 * at its first doubt, and behind `most` strings. https://www.rfc-editor.org/rfc/rfc8259
 */
export function findStrings(bytes: Buffer, path: readonly string[], most = Infinity): readonly Span[] {
  const found: Span[] = [];
  // For each open object or array: how many names of the path lead to it, -1 for one beside the path; and which of both it is.
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
        if (depth === maxLevels) return found; // no parser here goes deeper
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
      default: // white space, and what neither opens nor ends anything
    }
  }
  return found;
}

/** The closing quote of the string whose content begins at `from`; -1 where there is none. */
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

/** True where the name between two quotes says `name`, also with escapes. */
function isName(bytes: Buffer, from: number, to: number, name: string | undefined): boolean {
  if (name === undefined || to - from < name.length || to - from > 6 * name.length) return false;
  const text = bytes.toString('latin1', from, to);
  if (!text.includes('\\')) return text === name;
  try {
    return JSON.parse(`"${text}"`) === name;
  } catch {
    return false; // whoever parses the whole refuses the escape
  }
}
