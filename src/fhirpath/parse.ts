import { ExpressionError } from './syntax.ts';
import type { Expression } from './syntax.ts';
import { readTokens } from './tokens.ts';
import type { Token } from './tokens.ts';

/**
 * The syntax tree of a FHIRPath text; throws ExpressionError with the position. https://hl7.org/fhirpath/N1/#grammar
 */
export function parseExpression(expression: string): Expression {
  const parser = new Parser(expression);
  const tree = parser.binary(0);
  parser.expectEnd();
  return tree;
}

/** Operators by precedence, lowest first; `is` and `as` are between union and addition. */
const levels: readonly (readonly string[])[] = [
  ['implies'],
  ['or', 'xor'],
  ['and'],
  ['in', 'contains'],
  ['=', '~', '!=', '!~'],
  ['<', '<=', '>', '>='],
  ['|'],
  ['is', 'as'],
  ['+', '-', '&'],
  ['*', '/', 'div', 'mod'],
];

/** Much more than any parameter needs, much less than the stack allows. */
const mostTokens = 2_000;
const deepest = 50;

class Parser {
  private readonly expression: string;
  private readonly tokens: readonly Token[];
  private index = 0;
  private depth = 0;

  constructor(expression: string) {
    this.expression = expression;
    this.tokens = readTokens(expression);
    const beyond = this.tokens[mostTokens];
    if (beyond !== undefined) throw new ExpressionError(expression, beyond.at, 'The expression is too long');
  }

  /** An expression in parentheses, in brackets, or the whole. */
  private whole(): Expression {
    if (++this.depth > deepest)
      throw new ExpressionError(this.expression, this.next.at, 'The expression is nested too deep');
    const tree = this.binary(0);
    this.depth--;
    return tree;
  }

  binary(level: number): Expression {
    const operators = levels[level];
    if (operators === undefined) return this.signed();
    let left = this.binary(level + 1);
    for (;;) {
      const { text: operator, at } = this.next;
      if (!this.isOneOf(operators)) return left;
      this.index++;
      left =
        operator === 'is' || operator === 'as'
          ? { kind: 'type', at, operator, of: left, type: this.typeName() }
          : { kind: 'binary', at, operator, left, right: this.binary(level + 1) };
    }
  }

  expectEnd(): void {
    if (this.next.kind !== 'end') this.fail('an operator or the end');
  }

  private get next(): Token {
    return this.tokens[this.index] as Token; // the last token is `end`, and no read goes past it
  }

  private isOneOf(texts: readonly string[]): boolean {
    const { kind, text, quoted } = this.next;
    return (kind === 'symbol' || (kind === 'name' && !quoted)) && texts.includes(text);
  }

  private accept(symbol: string): boolean {
    if (!this.isOneOf([symbol])) return false;
    this.index++;
    return true;
  }

  private expect(symbol: string): void {
    if (!this.accept(symbol)) this.fail(`\`${symbol}\``);
  }

  private fail(wanted: string): never {
    const { kind, text, at } = this.next;
    const found = kind === 'end' ? 'The expression ends' : `\`${text}\` was found`;
    throw new ExpressionError(this.expression, at, `${found} where ${wanted} was expected`);
  }

  private signed(): Expression {
    const { at } = this.next;
    if (this.accept('+') || this.accept('-')) return { kind: 'sign', at, of: this.signed() };
    return this.postfix();
  }

  private postfix(): Expression {
    let tree = this.term();
    for (;;) {
      const { at } = this.next;
      if (this.accept('.')) tree = this.invocation(tree);
      else if (this.accept('[')) {
        tree = { kind: 'index', at, of: tree, index: this.whole() };
        this.expect(']');
      } else return tree;
    }
  }

  private term(): Expression {
    const { kind, text, at, quoted } = this.next;
    if (kind === 'name' && !quoted && (text === 'true' || text === 'false')) {
      this.index++;
      return { kind: 'literal', at, value: text === 'true' };
    }
    if (kind === 'name') return this.invocation(undefined);
    if (kind === 'string') {
      this.index++;
      return { kind: 'literal', at, value: text };
    }
    if (kind === 'number') return this.number();
    if (kind === 'date') {
      this.index++;
      return { kind: 'other', at, what: 'date', text };
    }
    if (kind === 'variable') {
      this.index++;
      return { kind: 'variable', at, name: text };
    }
    if (this.accept('$this')) return { kind: 'this', at };
    if (this.accept('$index')) return { kind: 'other', at, what: 'index', text };
    if (this.accept('$total')) return { kind: 'other', at, what: 'total', text };
    if (this.accept('{')) {
      this.expect('}');
      return { kind: 'other', at, what: 'empty', text };
    }
    if (!this.accept('(')) this.fail('an element, a function or a value');
    const tree = this.whole();
    this.expect(')');
    return tree;
  }

  /** A number; with a unit after it a quantity. */
  private number(): Expression {
    const { text, at } = this.next;
    this.index++;
    const unit =
      this.next.kind === 'string' || /^(year|month|week|day|hour|minute|second|millisecond)s?$/.test(this.next.text);
    if (!unit) return { kind: 'literal', at, value: Number(text), text };
    const { text: unitText, kind } = this.next;
    this.index++;
    return { kind: 'other', at, what: 'quantity', text, unit: unitText, calendar: kind === 'name' };
  }

  private invocation(of: Expression | undefined): Expression {
    const { kind, text, at } = this.next;
    if (of !== undefined && (this.accept('$index') || this.accept('$total') || this.accept('$this')))
      return { kind: 'other', at, what: text === '$index' ? 'index' : text === '$total' ? 'total' : 'this', text };
    if (kind !== 'name') this.fail('the name of an element or a function');
    this.index++;
    if (!this.accept('(')) return { kind: 'member', at, of, name: text };
    const args: Expression[] = [];
    if (!this.accept(')')) {
      do args.push(this.whole());
      while (this.accept(','));
      this.expect(')');
    }
    return { kind: 'call', at, of, name: text, args };
  }

  private typeName(): Expression {
    let tree = this.invocation(undefined);
    while (this.accept('.')) tree = this.invocation(tree);
    return tree;
  }
}
