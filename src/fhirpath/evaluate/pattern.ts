import { createContext, Script } from 'node:vm';
import { Cache } from '../../cache.ts';
import { TooCostly } from './errors.ts';

/**
 * True where a part of the text fits the pattern, as FHIRPath's `matches()` means it. Patterns may backtrack without
 * end: one whose form rules that out for a text of this length runs as it is, any other under a deadline. Throws
 * TooCostly where that is over, or where the text is longer than 100,000 characters; SyntaxError for what is no
 * pattern. https://hl7.org/fhirpath/N1/#matchesregex-string-boolean
 */
export function matchesPattern(text: string, source: string, spend: Spend = free): boolean {
  const pattern = patternOf(text, source);
  pattern.regexp.lastIndex = 0;
  if (isBounded(pattern, text)) return pattern.regexp.test(text);
  return run(text, pattern.regexp, '', testing, spend) === true;
}

/** The text with each part that fits the pattern replaced; limits as above. */
export function replaceMatches(text: string, source: string, to: string, spend: Spend = free): string {
  const pattern = patternOf(text, source);
  if (isBounded(pattern, text)) return text.replace(pattern.regexp, to);
  return String(run(text, pattern.regexp, to, replacing, spend));
}

/** Takes the cost of a run from a budget: one under a deadline costs as much as looking at thousands of values. */
type Spend = (steps: number) => void;

const free: Spend = () => undefined;

interface Pattern {
  readonly regexp: RegExp;
  /** How many repetitions stand beside each other; undefined where one is within another. */
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

/** Patterns come from definitions, which seldom have that many. */
const known = new Cache<Pattern>(1000);

/** Unicode mode refuses some escapes that published patterns have. */
function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'gsu');
  } catch {
    return new RegExp(source, 'gs');
  }
}

/** Each repetition may begin and end anywhere in the text, at worst. */
const isBounded = ({ repetitions }: Pattern, text: string): boolean =>
  repetitions !== undefined && (text.length + 1) ** (repetitions + 1) <= 1_000_000;

/**
 * Patterns of R4 on every element of every StructureDefinition (eld-19, eld-20): after the first character nothing in
 * them must be there, so that they never go back.
 */
const linear: ReadonlySet<string> = new Set([
  String.raw`[^\s\.,:;\'"\/|?!@#$%&*()\[\]{}]{1,64}(\.[^\s\.,:;\'"\/|?!@#$%&*()\[\]{}]{1,64}(\[x\])?(\:[^\s\.]+)?)*`,
  String.raw`[A-Za-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9]*(\[x])?)*`,
]);

/** Counts `*`, `+`, `{…}` and `?`; undefined where one of them repeats a group that has one inside, or has a choice. */
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

const deadline = 400; // milliseconds of the clock; a busy machine takes some to begin
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
    const { code } = error as { code?: unknown }; // an error of another realm is no instance of ours
    if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    spend(1_000_000);
    throw new TooCostly('pattern');
  }
}
