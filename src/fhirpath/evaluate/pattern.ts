import { createContext, Script } from 'node:vm';
import { Cache } from '../../cache.ts';
import { TooCostly } from './errors.ts';

/**
 * True if a part of the text matches the pattern, as FHIRPath's `matches()` defines it. Patterns may backtrack
 * exponentially: one whose form excludes that for a text of this length runs directly, any other with a time limit.
 * Throws TooCostly beyond the limit, or for a text of more than 100,000 characters; SyntaxError for an invalid pattern.
 * https://hl7.org/fhirpath/N1/#matchesregex-string-boolean
 */
export function matchesPattern(text: string, source: string, spend: Spend = free): boolean {
  const pattern = patternOf(text, source);
  pattern.regexp.lastIndex = 0;
  if (isBounded(pattern, text)) return pattern.regexp.test(text);
  return run(text, pattern.regexp, '', testing, spend) === true;
}

/** The text with each match replaced; limits as above. */
export function replaceMatches(text: string, source: string, to: string, spend: Spend = free): string {
  const pattern = patternOf(text, source);
  if (isBounded(pattern, text)) return text.replace(pattern.regexp, to);
  return String(run(text, pattern.regexp, to, replacing, spend));
}

/** Spends the cost of a run from a budget: one with a time limit costs as much as thousands of visited values. */
type Spend = (steps: number) => void;

const free: Spend = () => undefined;

interface Pattern {
  readonly regexp: RegExp;
  /** Number of repetitions side by side; undefined if they are nested. */
  readonly repetitions: number | undefined;
}

const longest = 100_000;

function patternOf(text: string, source: string): Pattern {
  if (text.length > longest || source.length > 10_000) throw new TooCostly('pattern');
  let pattern = known.get(source);
  if (pattern === undefined) {
    pattern = { regexp: compiled(source), repetitions: linear.has(source) ? 1 : repetitionsOf(source) };
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
const isBounded = ({ repetitions }: Pattern, text: string): boolean =>
  repetitions !== undefined && (text.length + 1) ** (repetitions + 1) <= 1_000_000;

/**
 * Patterns of R4 on every element of every StructureDefinition (eld-19, eld-20): everything after the first character
 * is optional, so that they never backtrack.
 */
const linear: ReadonlySet<string> = new Set([
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

const deadline = 400; // milliseconds; a busy machine takes some to begin
const testing = new Script('pattern.test(text)');
const replacing = new Script('text.replace(pattern, to)');
const place = { pattern: /(?:)/gsu, text: '', to: '' };
let context: object | undefined;

function run(text: string, pattern: RegExp, to: string, script: Script, spend: Spend): unknown {
  spend(2_000);
  Object.assign(place, { pattern, text, to });
  context ??= createContext(place);
  try {
    return script.runInContext(context, { timeout: deadline });
  } catch (error) {
    const { code } = error as { code?: unknown }; // an error of another realm is not an instance of this one's Error
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    spend(1_000_000);
    throw new TooCostly('pattern');
  }
}
