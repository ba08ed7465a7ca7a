/** What stands for a parameter in terms and field names, where `|`, `.` and `$` mean something. */
export function nameOf(code: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9-]*$/.test(code) ? code : encoded(code);
}

function encoded(code: string): string {
  // A leading `_` too: `_updated` is a field of our own.
  return code.replace(/[^A-Za-z0-9_-]|^_/gu, letter => `%${(letter.codePointAt(0) ?? 0).toString(16)};`);
}

/** `{p}|{param}|`: what all terms of a parameter begin with. */
export function termsOf(p: string, code: string): string {
  return `${p}|${nameOf(code)}|`;
}

/** `{p}|{owner}+{token}|`: what the terms of a pair begin with. */
export function pairsOf(p: string, owner: string, token: string): string {
  return `${p}|${nameOf(owner)}+${nameOf(token)}|`;
}

/** The term that every living document of a partition has. */
export function everyTerm(p: string): string {
  return `${p}|*`;
}

/**
 * The key of intervals: `wide` ones, wider than they are usually, are kept apart, so that the others are found by their low end
 * alone. `unit` tells quantities of one unit from those of others.
 */
export function intervalKey(p: string, code: string, wide: boolean, unit = ''): string {
  return `${p}|${nameOf(code)}${wide ? '~' : ''}|${unit}`;
}

/** The term of documents that have a wide interval of a date. */
export function wideTerm(p: string, code: string): string {
  return `${p}|${nameOf(code)}~`;
}

/** Of an exact text, as a term. */
export function exactTerm(text: string): string {
  return `x${text}`;
}

/** Of an ordered field: `lowest` where a parameter with several values is sorted by its lowest. */
export function orderField(code: string, lowest = false): string {
  return `${nameOf(code)}${lowest ? '<' : ''}`;
}

/** The ordered field of lastUpdated. */
export const updatedField = '_updated';
