import { badValue, type FhirError, fhirError } from '../../../fhir/error.ts';

/** The operators of comparisons. https://hl7.org/fhir/R4/search_filter.html#ops */
export const operators = [
  'eq',
  'ne',
  'co',
  'sw',
  'ew',
  'gt',
  'lt',
  'ge',
  'le',
  'ap',
  'sa',
  'eb',
  'pr',
  'po',
  'ss',
  'sb',
  'in',
  'ni',
  're',
] as const;
export type Operator = (typeof operators)[number];

/** A parsed `_filter`. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Filter[] }
  | { readonly kind: 'not'; readonly of: Filter }
  | Comparison;

export interface Comparison {
  readonly kind: 'comparison';
  /** At least one: all but the last are references. */
  readonly path: readonly FilterStep[];
  readonly operator: Operator;
  /** Without quotation marks, and without the escapes of JSON. */
  readonly value: string;
}

export interface FilterStep {
  /** The code of a parameter, or `_has:Type:reference:code`. */
  readonly name: string;
  /** The condition in brackets on the referenced resource. */
  readonly where: Filter | undefined;
}

/** Most comparisons of a filter, and most parentheses and brackets within one another. */
const MOST_COMPARISONS = 100;
const MOST_LEVELS = 20;

/**
 * Parses the value of `_filter`. `and` and `or` have the same precedence and are evaluated from left to right. Throws
 * FhirError 400 with the position. https://hl7.org/fhir/R4/search_filter.html
 */
export function parseTree(text: string): Filter {
  const parser = new Parser(text);
  const filter = parser.filter(0);
  parser.end();
  return filter;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #comparisons = 0;

  constructor(text: string) {
    this.#text = text;
  }

  filter(level: number): Filter {
    if (level > MOST_LEVELS) throw tooCostly(`has more than ${MOST_LEVELS} levels of parentheses`);
    let left = this.#operand(level);
    for (;;) {
      const word = this.#take(/(?:and|or)(?![\w-])/y);
      if (word === undefined) return left;
      const right = this.#operand(level);
      const kind = word === 'and' ? 'and' : 'or';
      left = { kind, of: left.kind === kind ? [...left.of, right] : [left, right] };
    }
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#expected('`and`, `or` or the end');
  }

  #operand(level: number): Filter {
    const word = this.#take(/not(?=\s*\()/y);
    if (this.#take(/\(/y) === undefined) return this.#comparison(level);
    const inner = this.filter(level + 1);
    if (this.#take(/\)/y) === undefined) throw this.#expected('`and`, `or` or `)`');
    return word === undefined ? inner : { kind: 'not', of: inner };
  }

  #comparison(level: number): Filter {
    this.#comparisons += 1;
    if (this.#comparisons > MOST_COMPARISONS) throw tooCostly(`has more than ${MOST_COMPARISONS} comparisons`);
    const path = this.#path(level);
    const operator = operators.find(one => this.#take(new RegExp(`${one}(?=\\s)`, 'y')) !== undefined);
    if (operator === undefined) throw this.#expected(`an operator (${operators.join(', ')})`);
    return { kind: 'comparison', path, operator, value: this.#value() };
  }

  #path(level: number): readonly FilterStep[] {
    const steps: FilterStep[] = [];
    do {
      const name = this.#take(/(?:_has(?::[\w-]+){3}|[A-Za-z_][\w-]*)/y, steps.length === 0);
      if (name === undefined) throw this.#expected('the name of a search parameter');
      const isBracket = this.#take(/\[/y, false) !== undefined;
      const where = isBracket ? this.filter(level + 1) : undefined;
      if (isBracket && this.#take(/\](?=\.)/y) === undefined) throw this.#expected('`and`, `or`, or `].` and a name');
      steps.push({ name, where });
    } while (this.#take(/\./y, false) !== undefined);
    return steps;
  }

  /** A JSON string, or characters other than white space, `)` and `]`. */
  #value(): string {
    const quoted = this.#take(/"(?:[^"\\]|\\.)*"/y);
    if (quoted !== undefined) {
      try {
        return String(JSON.parse(quoted));
      } catch {
        this.#at -= quoted.length;
        throw this.#expected('a valid JSON string');
      }
    }
    const value = this.#take(dateWithSpace) ?? this.#take(/[^\s)\]"][^\s)\]]*/y);
    if (value === undefined) throw this.#expected('a value; one with spaces or parentheses is a JSON string, `"…"`');
    return value;
  }

  /** Takes what the sticky pattern matches, after white space. */
  #take(pattern: RegExp, afterSpace = true): string | undefined {
    if (afterSpace) this.#skip();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #expected(what: string): FhirError {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const found = rest === '' ? 'its end' : `\`${rest}\``;
    return badValue('_filter', `The \`_filter\` is not valid: expected ${what} at ${found}, position ${this.#at + 1}.`);
  }
}

/** A time with an offset whose unescaped `+` has become a space; what follows is not part of it. */
const dateWithSpace = /\d{4}-\d\d-\d\dT[\d:.]+ \d\d:\d\d(?=[\s)\]]|$)/y;

const tooCostly = (what: string): FhirError =>
  fhirError(400, 'too-costly', `The \`_filter\` ${what}: shorten it.`, 'http._filter');
