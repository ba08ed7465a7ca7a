import type { Predicate, ResultType } from '../result-type.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Scope } from './scope.ts';
import type { Expression } from '../syntax.ts';

/**
 * `=` and `!=` between texts, numbers and booleans, and the order of numbers; an empty side gives an empty result.
 * Throws NeedsInterpreter for values that are not compared by their JSON value only.
 * https://hl7.org/fhirpath/N1/#equality
 */
export function compileComparison(tree: Expression & { kind: 'binary' }, type: ResultType, scope: Scope): Predicate {
  const compare = comparisons[tree.operator];
  if (compare === undefined) throw new NeedsInterpreter();
  const left = compileOperand(tree.left, type, scope);
  const right = compileOperand(tree.right, type, scope);
  if (left.type !== 'boolean' && right.type !== 'boolean' && (left.type === 'date' || right.type === 'date')) {
    throw new NeedsInterpreter();
  }
  const equality = tree.operator === '=' || tree.operator === '!=';
  if (!equality && (left.type !== 'number' || right.type !== 'number')) throw new NeedsInterpreter();
  return (value, parent, key) => {
    const one = left.read(value, parent, key);
    const other = right.read(value, parent, key);
    return one === undefined || other === undefined ? undefined : compare(one, other);
  };
}

type Scalar = string | number | boolean;

const comparisons: Readonly<Record<string, (left: Scalar, right: Scalar) => boolean>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

interface Operand {
  readonly type: 'text' | 'number' | 'boolean' | 'date';
  readonly read: (value: unknown, parent: object, key: string | number) => Scalar | undefined;
}

function compileOperand(tree: Expression, type: ResultType, scope: Scope): Operand {
  if (tree.kind === 'literal') {
    const { value } = tree;
    return {
      type: typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean',
      read: () => value,
    };
  }
  const types = new Set<Operand['type']>();
  let result: Scalar | undefined;
  const all = scope.compilePath(tree, { ...type, many: false }, scope, found => {
    const kind = kinds[found.code];
    if (kind === undefined || found.many) throw new NeedsInterpreter();
    types.add(kind);
    return value => {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') result = value;
    };
  });
  return {
    type: [...types].find(kind => kind === 'date') ?? (types.size === 1 ? ([...types][0] ?? 'text') : 'text'),
    read: (value, parent, key) => {
      result = undefined;
      all?.(value, parent, key);
      return result;
    },
  };
}

/** How the primitives compare; dates, times and decimals as text are not compared by their JSON value only. */
const kinds: Readonly<Record<string, Operand['type']>> = {
  boolean: 'boolean',
  string: 'text',
  code: 'text',
  id: 'text',
  uri: 'text',
  url: 'text',
  canonical: 'text',
  oid: 'text',
  uuid: 'text',
  markdown: 'text',
  integer: 'number',
  positiveInt: 'number',
  unsignedInt: 'number',
  decimal: 'number',
  date: 'date',
  dateTime: 'date',
  instant: 'date',
  time: 'date',
};
