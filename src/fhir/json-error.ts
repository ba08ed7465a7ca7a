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

/** The index of the first lone surrogate, in a text that has one. */
export function loneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    else if (code >= 0xd800 && code <= 0xdfff) return at;
  }
  return 0;
}
