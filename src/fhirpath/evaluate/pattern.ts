import { RE2JS } from 're2js';
import { Cache } from '../../limits/cache.ts';
import { Delegated, TooCostly } from './errors.ts';

/** A pattern for an engine that never backtracks. */
type LinearPattern = Pick<RE2JS, 'test' | 'matcher' | 'programSize'>;

/**
 * Returns the pattern for RE2, whose time is at most its size times the length of the text. Throws Delegated if it has
 * assertions or back references, which RE2 does not have. https://github.com/google/re2/wiki/Syntax
 */
function compileLinear({ source, unicode }: RegExp): LinearPattern {
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

/**
 * True if a part of the text matches the pattern, as FHIRPath's `matches()` defines it. A pattern that cannot backtrack
 * for long over a text of this length runs on the machine's own engine, any other on one that never backtracks (RE2).
 * Throws Delegated for an assertion or a back reference that only the former has, TooCostly for a text of more than
 * 100,000 characters and a pattern that is too large; SyntaxError for an invalid pattern.
 * https://hl7.org/fhirpath/N1/#matchesregex-string-boolean
 */
export function matchesPattern(text: string, source: string, spend: Spend = free): boolean {
  const pattern = patternOf(text, source, spend);
  pattern.regexp.lastIndex = 0;
  return isBounded(pattern, text, spend) ? pattern.regexp.test(text) : linear(pattern, text, spend).test(text);
}

/** The text with each match replaced by `to`, which has neither `$` nor `\`; limits as above. */
export function replaceMatches(text: string, source: string, to: string, spend: Spend = free): string {
  const pattern = patternOf(text, source, spend);
  if (isBounded(pattern, text, spend)) return text.replace(pattern.regexp, to);
  return linear(pattern, text, spend).matcher(text).replaceAll(to);
}

/** Spends the cost of a run from a budget, in steps that take about 2 µs. */
export type Spend = (steps: number) => void;

const free: Spend = () => undefined;

interface Pattern {
  readonly source: string;
  readonly regexp: RegExp;
  /** Number of repetitions side by side; undefined if they are nested. */
  readonly repetitions: number | undefined;
  /** Caches the pattern for RE2 from its first use. */
  linear?: LinearPattern;
}

const longest = 100_000;

function patternOf(text: string, source: string, spend: Spend): Pattern {
  if (text.length > longest || source.length > 10_000) throw new TooCostly('pattern');
  let pattern = known.get(source);
  if (pattern === undefined) {
    spend(20 + source.length / 10);
    const repetitions = neverBacktrack.has(source) ? 0 : repetitionsOf(source);
    pattern = { source, regexp: compiled(source), repetitions };
    known.put(source, pattern);
  }
  return pattern;
}

/** Patterns come from definitions, which rarely have more. */
const known = new Cache<Pattern>(1000);

/** Unicode mode rejects some escapes of published patterns. */
function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'gsu');
  } catch {
    return new RegExp(source, 'gs');
  }
}

/** In the worst case each repetition begins and ends anywhere in the text. */
function isBounded({ repetitions }: Pattern, text: string, spend: Spend): boolean {
  if (repetitions === undefined) return false;
  const steps = (text.length + 1) ** (repetitions + 1);
  if (steps > 10_000 && repetitions > 0) return false;
  spend(steps / 400);
  return true;
}

/** The pattern for RE2, whose time is at most its size times the length of the text. */
function linear(pattern: Pattern, text: string, spend: Spend): LinearPattern {
  if (pattern.linear === undefined) {
    const size = sizeOf(pattern.source);
    if (size > largest) throw new TooCostly('pattern');
    spend(size);
    pattern.linear = compileLinear(pattern.regexp);
  }
  spend((pattern.linear.programSize() * text.length) / 100);
  return pattern.linear;
}

const largest = 20_000;

/**
 * Patterns of R4 on every element of every StructureDefinition (eld-19, eld-20): everything after the first character
 * is optional, so that they never backtrack.
 */
const neverBacktrack: ReadonlySet<string> = new Set([
  String.raw`[^\s\.,:;\'"\/|?!@#$%&*()\[\]{}]{1,64}(\.[^\s\.,:;\'"\/|?!@#$%&*()\[\]{}]{1,64}(\[x\])?(\:[^\s\.]+)?)*`,
  String.raw`[A-Za-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*(\[x])?)*`,
]);

/**
 * Counts `*`, `+`, `{…}` and `?`; undefined if one of them repeats a group with another one inside, or with a choice.
 */
function repetitionsOf(source: string): number | undefined {
  const groups: { repeats: boolean }[] = [];
  let count = 0;
  let closed: { repeats: boolean } | undefined;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    const before = closed;
    closed = undefined;
    if (character === '\\') {
      if (/[1-9k]/.test(source.charAt(at + 1))) return undefined;
      at++;
    } else if (character === '[') at = endOfClass(source, at);
    else if (character === '(') {
      groups.push({ repeats: false });
      if (source.charAt(at + 1) === '?') at++;
    } else if (character === ')') {
      closed = groups.pop();
      const outer = groups.at(-1);
      if (outer !== undefined && closed?.repeats === true) outer.repeats = true;
    } else if (character === '|') {
      for (const group of groups) group.repeats = true;
    } else if (/[*+{?]/.test(character)) {
      if (before?.repeats === true && character !== '?') return undefined;
      count++;
      for (const group of groups) group.repeats = true;
    }
  }
  return count;
}

function endOfClass(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source.charAt(at) === '\\') at++;
    else if (source.charAt(at) === ']') return at;
  }
  return source.length;
}
