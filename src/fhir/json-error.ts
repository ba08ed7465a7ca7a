import { placeOf } from './json-place.ts';

/** A text that is not strict JSON: the problem and its place. */
export class JsonError extends Error {
  /** `$.name[0].given`; `$` is the whole. */
  readonly path: string;
  /** Line and column count from 1; the column counts characters as UTF-16 units. */
  readonly line: number;
  readonly column: number;

  constructor(message: string, path: string, line: number, column: number) {
    super(message);
    this.name = 'JsonError';
    this.path = path;
    this.line = line;
    this.column = column;
  }
}

/** The error at a position of a text. */
export function errorAt(text: string, at: number, message: string): JsonError {
  const { path, line, column } = placeOf(text, at);
  return new JsonError(message, path, line, column);
}

/** The message for an unexpected character; `code` is -1 at the end of the text. */
export function unexpected(text: string, at: number, code: number, wanted: string): string {
  if (code === -1) return `The text ends where ${wanted} is expected.`;
  if (code === 0xfeff) return 'The text begins with a byte order mark: remove it.';
  if (code === 0) return noNul;
  const found = code < 0x20 ? named(code) : String.fromCodePoint(text.codePointAt(at) ?? 0x20);
  return `\`${found}\` was found where ${wanted} is expected.`;
}

/** The message for a control character in a string. */
export function controlCharacter(code: number): string {
  if (code === 0) return noNul;
  const escape = `\\u${code.toString(16).padStart(4, '0')}`;
  return `The control character ${named(code)} must be written as \`${escape}\` within a string.`;
}

export const noNul = 'The character U+0000 is not allowed.';

/** The index of the first lone surrogate, in a text that has one. */
export function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) return at;
  }
  return 0;
}

const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
