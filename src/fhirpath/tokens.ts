import { ExpressionError } from './syntax.ts';

export interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'date' | 'variable' | 'symbol' | 'end';
  /** The decoded text: without escapes, quotes and `%`. */
  readonly text: string;
  readonly at: number;
  /** True for a name in backticks, which is not a keyword. */
  readonly quoted: boolean;
}

/**
 * Cuts a FHIRPath text into tokens; the last one is `end`. Throws ExpressionError.
 * https://hl7.org/fhirpath/N1/#lexical-elements
 */
export function readTokens(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < expression.length) {
    const space = take(expression, at, /\s+|\/\/[^\n]*|\/\*[^]*?\*\//y);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const token = readToken(expression, at);
    tokens.push(token.token);
    at = token.end;
  }
  tokens.push({ kind: 'end', text: '', at: expression.length, quoted: false });
  return tokens;
}

/** The grammar delimits a literal: the dot of `@2015.is(Date)` is not part of it. */
const time = String.raw`\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?`;

const patterns: readonly (readonly [Token['kind'], RegExp])[] = [
  ['name', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['date', new RegExp(String.raw`@(?:T${time}|\d{4}(?:-\d\d(?:-\d\d)?)?(?:T(?:${time}(?:Z|[+-]\d\d:\d\d)?)?)?)`, 'y')],
  ['symbol', /<=|>=|!=|!~|[.()[\]{},|=~<>+\-*/&]/y],
];

function readToken(expression: string, at: number): { token: Token; end: number } {
  const first = expression.charAt(at);
  if (first === "'") return quoted(expression, at, at, 'string');
  if (first === '`') return quoted(expression, at, at, 'name');
  if (first === '%') {
    const next = expression.charAt(at + 1);
    if (next === "'" || next === '`') return quoted(expression, at + 1, at, 'variable');
    const name = take(expression, at + 1, /[A-Za-z_][A-Za-z0-9_]*/y);
    if (name === undefined) throw new ExpressionError(expression, at, 'A name must follow the `%`');
    return { token: { kind: 'variable', text: name, at, quoted: false }, end: at + 1 + name.length };
  }
  if (first === '$') {
    const name = take(expression, at, /\$[a-z]+/y) ?? '$';
    return { token: { kind: 'symbol', text: name, at, quoted: false }, end: at + name.length };
  }
  for (const [kind, pattern] of patterns) {
    const text = take(expression, at, pattern);
    if (text !== undefined) return { token: { kind, text, at, quoted: false }, end: at + text.length };
  }
  throw new ExpressionError(expression, at, `\`${first}\` has no meaning in FHIRPath`);
}

/** Reads from the quote at `open` to the matching one. */
function quoted(expression: string, open: number, at: number, kind: Token['kind']): { token: Token; end: number } {
  const quote = expression.charAt(open);
  let text = '';
  for (let index = open + 1; index < expression.length; index++) {
    const character = expression.charAt(index);
    if (character === quote) return { token: { kind, text, at, quoted: true }, end: index + 1 };
    if (character !== '\\') {
      text += character;
      continue;
    }
    const escape = expression.charAt(++index);
    const hex = escape === 'u' ? take(expression, index + 1, /[0-9A-Fa-f]{4}/y) : undefined;
    if (hex !== undefined) {
      text += String.fromCharCode(Number.parseInt(hex, 16));
      index += 4;
    } else {
      const meant = escapes[escape];
      if (meant === undefined)
        throw new ExpressionError(expression, index - 1, `\`\\${escape}\` is not a valid escape`);
      text += meant;
    }
  }
  throw new ExpressionError(expression, open, `The quote \`${quote}\` is not closed`);
}

const escapes: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '`': '`',
  '\\': '\\',
  '/': '/',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function take(expression: string, at: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(expression)?.[0];
}
