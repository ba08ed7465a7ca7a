/** A FHIRPath expression, parsed; `at` is the position in the text, from 0. https://hl7.org/fhirpath/N1/#syntax */
export type Expression =
  /** `text` is that of a number: `1.0` is a decimal, `1` is an integer. */
  | { readonly kind: 'literal'; readonly at: number; readonly value: string | number | boolean; readonly text?: string }
  /**
   * Constructs that index expressions do not use: `@2020`, `4 'mg'`, `4 days` (the number is the text), `{}`, `$index`,
   * `$total`, `.$this`.
   */
  | {
      readonly kind: 'other';
      readonly at: number;
      readonly what: 'date' | 'quantity' | 'empty' | 'index' | 'total' | 'this';
      readonly text: string;
      readonly unit?: string;
      /** True for a unit in words: `days`. */
      readonly calendar?: boolean;
    }
  | { readonly kind: 'this'; readonly at: number }
  /** `%resource`. */
  | { readonly kind: 'variable'; readonly at: number; readonly name: string }
  /** `name`, `a.name`: an element, or a type at the beginning of a path. */
  | { readonly kind: 'member'; readonly at: number; readonly of: Expression | undefined; readonly name: string }
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly of: Expression | undefined;
      readonly name: string;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'index'; readonly at: number; readonly of: Expression; readonly index: Expression }
  | {
      readonly kind: 'type';
      readonly at: number;
      readonly operator: 'is' | 'as';
      readonly of: Expression;
      readonly type: Expression;
    }
  | {
      readonly kind: 'binary';
      readonly at: number;
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'sign'; readonly at: number; readonly of: Expression };

/** The operands and arguments of an expression; a type specifier of `is` and `as` is none. */
export function partsOf(tree: Expression): readonly Expression[] {
  switch (tree.kind) {
    case 'literal':
    case 'other':
    case 'this':
    case 'variable':
      return [];
    case 'member':
      return tree.of === undefined ? [] : [tree.of];
    case 'call':
      return tree.of === undefined ? tree.args : [tree.of, ...tree.args];
    case 'index':
      return [tree.of, tree.index];
    case 'type':
    case 'sign':
      return [tree.of];
    case 'binary':
      return [tree.left, tree.right];
    default:
      return tree satisfies never;
  }
}

/** Whether a part of an expression, or the whole, passes a test. */
export const hasPart = (tree: Expression, test: (part: Expression) => boolean): boolean =>
  test(tree) || partsOf(tree).some(part => hasPart(part, test));

/** An invalid expression: a whole sentence with the position. */
export class ExpressionError extends Error {
  /** The sentence without the position, and the position: characters from 0. */
  readonly problem: string;
  readonly at: number;

  constructor(expression: string, at: number, message: string) {
    super(`${message} (character ${at + 1} of \`${expression}\`)`);
    this.name = 'ExpressionError';
    this.problem = message;
    this.at = at;
  }
}
