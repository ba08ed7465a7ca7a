/** The name of a parameter in terms and field names, where `|`, `.` and `$` are special. */
export function nameOf(code: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9-]*$/.test(code) ? code : encoded(code);
}

function encoded(code: string): string {
  // A leading `_` too: `_updated` is a field of the store.
  return code.replace(/[^A-Za-z0-9_-]|^_/gu, letter => `%${(letter.codePointAt(0) ?? 0).toString(16)};`);
}

/** `{p}|{param}|`: the beginning of all terms of a parameter. */
export function termsOf(p: string, code: string): string {
  return `${p}|${nameOf(code)}|`;
}

/** `{p}|{owner}+{token}|`: the beginning of the terms of a pair. */
export function pairsOf(p: string, owner: string, token: string): string {
  return `${p}|${nameOf(owner)}+${nameOf(token)}|`;
}

/** The term of every current document of a partition. */
export function everyTerm(p: string): string {
  return `${p}|*`;
}

/**
 * The key of intervals: `wide` ones, which are wider than usual, are separate, so that the others are found by their
 * low end alone. `unit` separates quantities by unit.
 */
export function intervalKey(p: string, code: string, wide: boolean, unit = ''): string {
  return `${p}|${nameOf(code)}${wide ? '~' : ''}|${unit}`;
}

/** The term of documents that have a wide interval of a date. */
export function wideTerm(p: string, code: string): string {
  return `${p}|${nameOf(code)}~`;
}

/** An exact text, as a term. */
export function exactTerm(text: string): string {
  return `x${text}`;
}

/** An ordered field: `lowest` if a parameter with several values is sorted by its lowest. */
export function orderField(code: string, lowest = false): string {
  return `${nameOf(code)}${lowest ? '<' : ''}`;
}

/** The ordered field of the time of creation, in types without a sort date. */
export const createdField = '_created';

/** The ordered field of lastUpdated. */
export const updatedField = '_updated';
