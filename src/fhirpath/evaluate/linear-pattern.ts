import { RE2JS } from 're2js';
import { Delegated } from './errors.ts';

/** A pattern for an engine that never backtracks. */
export type LinearPattern = Pick<RE2JS, 'test' | 'matcher' | 'programSize'>;

/**
 * Returns the pattern for RE2, whose time is at most its size times the length of the text. Throws Delegated if it has
 * assertions or back references, which RE2 does not have. https://github.com/google/re2/wiki/Syntax
 */
export function compileLinear({ source, unicode }: RegExp): LinearPattern {
  // Outside of unicode mode such an escape means the letter.
  if (!unicode && /\\[^dDwWsSbBnrtfvux\d\W_]|\[\[:/.test(source)) throw new Delegated('a pattern with unknown escapes');
  try {
    return RE2JS.compile(withSpaces(RE2JS.translateRegExp(source)), RE2JS.DOTALL);
  } catch {
    throw new Delegated('a pattern that looks around or back');
  }
}

/** RE2's `\s` has the spaces of ASCII only. */
function withSpaces(source: string): string {
  let inClass = false;
  return source.replace(/\\[^]|[[\]]/g, part => {
    if (part === '[') inClass = true;
    else if (part === ']') inClass = false;
    if (part !== '\\s' && part !== '\\S') return part;
    const ranges = part === '\\s' ? spaces : others;
    return inClass ? ranges : `[${ranges}]`;
  });
}

/** https://tc39.es/ecma262/#sec-compiletocharset: WhiteSpace and LineTerminator */
const spaces = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const others =
  String.raw`\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}` +
  String.raw`\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`;

/** The size of a pattern whose repetitions are written out, before anything is compiled. */
export function sizeOf(source: string): number {
  const groups: number[] = [];
  let size = 0; // of the group so far, without the last atom
  let atom = 0;
  for (const [part, min, max] of source.matchAll(parts)) {
    if (part === '(') {
      groups.push(size + atom);
      [size, atom] = [0, 1];
    } else if (part === ')') {
      atom += size;
      size = groups.pop() ?? 0;
    } else if (min !== undefined) atom *= Math.max(1, Number(max === undefined || max === '' ? min : max));
    else [size, atom] = [size + atom, /^\\p\{|^\[.*\\p\{/isu.test(part) ? classOfUnicode : 1];
  }
  return groups.reduce((all, one) => all + one, size + atom);
}

const parts = /\\[pP]\{[^}]*\}|\\[^]|\[(?:\\[^]|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[^]/g;

/** A class such as `\p{L}` has hundreds of ranges. */
const classOfUnicode = 200;
