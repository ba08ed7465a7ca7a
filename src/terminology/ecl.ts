import type { CodeSystem } from './code-system.ts';
import { NotExpanded } from './members.ts';

/** The codes of an expression. */
type Codes = ReadonlySet<string>;

/**
 * The codes of a system that an expression of the Expression Constraint Language selects: `<`, `<<`, `>`, `>>`, `<!`,
 * `>!` and `^` before a code or `*`, AND, OR and MINUS, parentheses, and refinements by attributes, each with one value
 * expression. Throws NotExpanded for any other, and NotRead. https://docs.snomed.org/snomed-ct-specifications/ecl
 */
export function codesOfEcl(text: string, system: CodeSystem): Codes {
  const tokens = tokensOf(text);
  const reader = { at: 0 };
  const found = readCompound(tokens, reader, system, 0);
  if (reader.at < tokens.length) throw wrong(`\`${tokens[reader.at] ?? ''}\` is not expected`);
  return found;
}

const wrong = (why: string): NotExpanded =>
  new NotExpanded('wrong', `its expression (ECL) cannot be evaluated: ${why}`);

/** Longest expression in characters, and most parentheses in each other. */
const [longest, deepest] = [4_000, 50];

/** The tokens without terms (`|Disease|`) and comments. */
function tokensOf(text: string): readonly string[] {
  if (text.length > longest) throw wrong(`it is longer than ${longest} characters`);
  const plain = text.replace(/\/\*.*?\*\//gs, ' ').replace(/\|[^|]*\|/g, ' ');
  const tokens = plain.match(/<<!|>>!|<<|>>|<!|>!|!=|[<>^*():,={}]|[A-Za-z0-9.-]+|\S/g) ?? [];
  if (tokens.length === 0) throw wrong('it is empty');
  return tokens;
}

interface Reader {
  at: number;
}

const operators: ReadonlySet<string | undefined> = new Set(['AND', 'OR', 'MINUS', ',']);
const operatorAt = (tokens: readonly string[], { at }: Reader): string | undefined => {
  const token = tokens[at]?.toUpperCase();
  return operators.has(token) ? (token === ',' ? 'AND' : token) : undefined;
};

/** Expressions joined by one operator: several different ones need parentheses. */
function readCompound(tokens: readonly string[], reader: Reader, system: CodeSystem, depth: number): Codes {
  let found = readRefined(tokens, reader, system, depth);
  let used: string | undefined;
  for (let operator = operatorAt(tokens, reader); operator !== undefined; operator = operatorAt(tokens, reader)) {
    if (used !== undefined && (used !== operator || used === 'MINUS'))
      throw wrong(`\`${used}\` and \`${operator}\` need parentheses`);
    used = operator;
    reader.at += 1;
    found = join(found, operator, readRefined(tokens, reader, system, depth));
  }
  return found;
}

function join(a: Codes, operator: string, b: Codes): Codes {
  if (operator === 'OR') return new Set([...a, ...b]);
  return new Set([...a].filter(code => b.has(code) === (operator === 'AND')));
}

/** An expression, and after a colon the attributes that its codes must have. */
function readRefined(tokens: readonly string[], reader: Reader, system: CodeSystem, depth: number): Codes {
  let found = readOne(tokens, reader, system, depth);
  if (tokens[reader.at] !== ':') return found;
  do {
    reader.at += 1;
    const isGrouped = tokens[reader.at] === '{';
    if (isGrouped) reader.at += 1;
    const having = readAttribute(tokens, reader, system, depth);
    found = new Set([...found].filter(code => having.has(code)));
    if (isGrouped && tokens[reader.at++] !== '}') throw wrong('a group has one attribute and ends with `}`');
  } while (tokens[reader.at] === ',');
  return found;
}

/** The codes that have one of some attributes with one of some values. */
function readAttribute(
  tokens: readonly string[],
  reader: Reader,
  system: CodeSystem,
  depth: number,
): { has(code: string): boolean } {
  const first = tokens[reader.at] ?? '';
  const isAny = first === '*';
  const isPlain = isAny || system.hasProperty(first);
  const names = isPlain ? [first] : [...readOne(tokens, reader, system, depth)];
  if (isPlain) reader.at += 1;
  const comparison = tokens[reader.at++];
  if (comparison !== '=' && comparison !== '!=') throw wrong('an attribute is followed by `=` or `!=`');
  const start = reader.at;
  const values = readOne(tokens, reader, system, depth);
  const key = `${comparison} ${tokens.slice(start, reader.at).join(' ')}`;
  const all = isAny ? attributesOf(system) : names.filter(name => system.hasProperty(name));
  const found = all.map(name => having(name, value => values.has(value) === (comparison === '='), key, system));
  return { has: code => found.some(one => one.has(code)) };
}

const attributesOf = ({ resource }: CodeSystem): readonly string[] =>
  Array.isArray(resource['property']) ? resource['property'].map(({ code }: { code: string }) => code) : [];

function having(
  name: string,
  test: (value: string) => boolean,
  key: string,
  system: CodeSystem,
): { has(code: string): boolean } {
  if (system.stored !== undefined) return system.stored.having(name, test, key);
  return {
    has: code =>
      (system.concept(code)?.properties ?? []).some(
        one =>
          one['code'] === name &&
          Object.entries(one).some(([at, value]) => at.startsWith('value') && test(String(value))),
      ),
  };
}

/** `<< 123`, `(…)`, `*`, `^ 123` or `123`. */
function readOne(tokens: readonly string[], reader: Reader, system: CodeSystem, depth: number): Codes {
  const token = tokens[reader.at++];
  if (token === '(') {
    if (depth === deepest) throw wrong('it has too many parentheses');
    const found = readCompound(tokens, reader, system, depth + 1);
    if (tokens[reader.at++] !== ')') throw wrong('a parenthesis is not closed');
    return found;
  }
  const relate = token === undefined ? undefined : relations[token];
  if (relate !== undefined) {
    const of = readOne(tokens, reader, system, depth);
    return new Set([...of].flatMap(code => relate(code, system)));
  }
  if (token === '^') {
    const sets = readOne(tokens, reader, system, depth);
    const members = having('memberOf', value => sets.has(value), `^ ${[...sets].join(' ')}`, system);
    return new Set(system.codes.filter(code => members.has(code)));
  }
  if (token === '*') return new Set(system.codes);
  const concept = token !== undefined && /^[A-Za-z0-9]/.test(token) ? system.concept(token) : undefined;
  if (concept !== undefined) return new Set([concept.code]);
  throw wrong(token === undefined ? 'it ends too early' : `\`${token}\` is no code of \`${system.url}\``);
}

const relations: Readonly<Record<string, (code: string, system: CodeSystem) => readonly string[]>> = {
  '<<': (code, system) => below(code, system),
  '<': (code, system) => below(code, system).filter(one => one !== code),
  '<!': (code, system) => system.concept(code)?.children ?? [],
  '>>': (code, system) => [code, ...above(code, system)],
  '>': (code, system) => above(code, system),
  '>!': (code, system) => system.concept(code)?.parents ?? [],
};

function below(code: string, system: CodeSystem): readonly string[] {
  const { stored } = system;
  if (stored === undefined) return related(code, one => system.concept(one)?.children ?? []);
  const { concepts } = stored.page([stored.below(code)], { offset: 0, count: Infinity, without: undefined });
  return concepts.map(one => one.code);
}

const above = (code: string, system: CodeSystem): readonly string[] =>
  related(code, one => system.concept(one)?.parents ?? []).slice(1);

/** A code and those that are reached from it. */
function related(code: string, next: (code: string) => readonly string[]): readonly string[] {
  const found = new Set([code]);
  for (const one of found) for (const other of next(one)) found.add(other);
  return [...found];
}
