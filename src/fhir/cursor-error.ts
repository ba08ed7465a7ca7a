/**
 * The character code that a backslash and this character mean in a JSON string; -1 if there is no such escape, as for
 * `u`, which four digits follow. https://www.rfc-editor.org/rfc/rfc8259#section-7
 */
export const escapeMeaning = (code: number): number => meanings[code] ?? -1;

const escapes: readonly (readonly [character: string, meaning: string])[] = [
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
];

const meanings = new Int8Array(128).fill(-1);
for (const [character, meaning] of escapes) meanings[character.charCodeAt(0)] = meaning.charCodeAt(0);

/** A text or its bytes are not JSON: the problem and its position, a character index or a byte offset. */
export class CursorError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = 'CursorError';
    this.at = at;
  }
}

export const noNul = 'The character U+0000 is not allowed.';
export const noSuchEscape = 'This escape does not exist in JSON: after a backslash comes one of `"\\/bfnrtu`.';
export const fourDigits = '`\\u` must be followed by four hexadecimal digits.';

/** The message for a control character in a string. */
export function controlCharacter(code: number): string {
  if (code === 0) return noNul;
  const escape = `\\u${code.toString(16).padStart(4, '0')}`;
  return `The control character ${named(code)} must be written as \`${escape}\` within a string.`;
}

/** The message for an unexpected character; `code` is -1 at the end of the text. */
export function unexpected(text: string, at: number, code: number, wanted: string): string {
  if (code === -1) return `The text ends where ${wanted} is expected.`;
  if (code === 0xfeff) return 'The text begins with a byte order mark: remove it.';
  if (code === 0) return noNul;
  const found = code < 0x20 ? named(code) : String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  return `\`${found}\` was found where ${wanted} is expected.`;
}

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
