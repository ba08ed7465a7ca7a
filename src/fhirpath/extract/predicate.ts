import { isAmbiguous, namedType } from '../names.ts';
import { referredType } from '../referred-type.ts';
import { isA } from '../result-type.ts';
import type { ResultType } from '../result-type.ts';
import type { Expression } from '../syntax.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Scope } from './scope.ts';

/** A test of a value; undefined represents FHIRPath's empty result. */
export type Predicate = (value: unknown, parent: object, key: string | number) => boolean | undefined;

/** True for an expression whose form yields a boolean. */
export function isPredicate(tree: Expression): boolean {
  if (tree.kind === 'type') return tree.operator === 'is';
  if (tree.kind === 'call') return /^(exists|empty|not|is|hasExtension)$/.test(tree.name);
  if (tree.kind === 'binary') return tree.operator !== '|';
  return tree.kind === 'literal' && typeof tree.value === 'boolean';
}

/** Compiles criteria on a value of `type`. Throws like compilePath. https://hl7.org/fhirpath/N1/#boolean-logic */
export function compilePredicate(tree: Expression, type: ResultType, scope: Scope): Predicate {
  if (tree.kind === 'literal') {
    if (typeof tree.value !== 'boolean') throw new NeedsInterpreter();
    const { value } = tree;
    return () => value;
  }
  if (tree.kind === 'type' && tree.operator === 'is') return compileIs(tree.of, tree.type, type, scope);
  if (tree.kind === 'call' && isPredicate(tree)) return compileTest(tree, type, scope);
  if (tree.kind === 'binary' && tree.operator !== '|') {
    if (tree.operator !== 'and' && tree.operator !== 'or') return compileComparison(tree, type, scope);
    const left = compilePredicate(tree.left, type, scope);
    const right = compilePredicate(tree.right, type, scope);
    return tree.operator === 'and' ? and(left, right) : or(left, right);
  }
  return compileBoolean(tree, type, scope);
}

const and =
  (left: Predicate, right: Predicate): Predicate =>
  (value, parent, key) => {
    const first = left(value, parent, key);
    if (first === false) return false;
    const second = right(value, parent, key);
    return second === false ? false : first === undefined || second === undefined ? undefined : true;
  };

const or =
  (left: Predicate, right: Predicate): Predicate =>
  (value, parent, key) => {
    const first = left(value, parent, key);
    if (first === true) return true;
    const second = right(value, parent, key);
    return second === true ? true : first === undefined || second === undefined ? undefined : false;
  };

function compileTest(tree: Expression & { kind: 'call' }, type: ResultType, scope: Scope): Predicate {
  const { name, args, at } = tree;
  const of: Expression = tree.of ?? { kind: 'this', at };
  const [argument] = args;
  if (name === 'is' && argument !== undefined) return compileIs(of, argument, type, scope);
  if (name === 'not' && argument === undefined) {
    const positive = compilePredicate(of, type, scope);
    return (value, parent, key) => {
      const result = positive(value, parent, key);
      return result === undefined ? undefined : !result;
    };
  }
  if (name === 'hasExtension') return exists({ ...tree, name: 'extension' }, type, scope);
  const found = exists(argument === undefined ? of : { kind: 'call', at, of, name: 'where', args }, type, scope);
  if (name === 'exists') return found;
  return (value, parent, key) => found(value, parent, key) !== true;
}

function exists(tree: Expression, type: ResultType, scope: Scope): Predicate {
  let any = false;
  const all = scope.compilePath(tree, type, scope, () => () => {
    any = true;
  });
  if (all === undefined) return () => false;
  return (value, parent, key) => {
    any = false;
    all(value, parent, key);
    return any;
  };
}

/** A path to a boolean element with at most one value. */
function compileBoolean(tree: Expression, type: ResultType, scope: Scope): Predicate {
  let result: boolean | undefined;
  const all = scope.compilePath(tree, { ...type, many: false }, scope, found => {
    if (found.code !== 'boolean' || found.many) throw new NeedsInterpreter();
    return value => {
      result = typeof value === 'boolean' ? value : undefined;
    };
  });
  if (all === undefined) return () => undefined;
  return (value, parent, key) => {
    result = undefined;
    all(value, parent, key);
    return result;
  };
}

function compileIs(of: Expression, typeName: Expression, type: ResultType, scope: Scope): Predicate {
  const { definitions } = scope;
  const code = namedType(typeName, scope.text, definitions);
  // A type of FHIRPath itself: no element has it.
  if (typeName.kind === 'member' && typeName.name !== code) throw new NeedsInterpreter();
  const resolved = of.kind === 'call' && of.name === 'resolve' && of.args.length === 0;
  let result: boolean | undefined;
  const all = scope.compilePath(
    resolved ? (of.of ?? { kind: 'this', at: of.at }) : of,
    { ...type, many: false },
    scope,
    found => {
      if (found.many || isAmbiguous(found.element, code)) throw new NeedsInterpreter();
      if (resolved) {
        return value => {
          const target = referredType(value, scope.resource, definitions);
          result = target === undefined ? undefined : target === code || isA(target, code, definitions);
        };
      }
      if (found.definition?.abstract === true && found.definition.kind === 'resource') {
        return value => {
          const { resourceType } = value as { resourceType?: unknown }; // any JSON value is possible
          result = typeof resourceType === 'string' && isA(resourceType, code, definitions);
        };
      }
      const is = isA(found.code, code, definitions);
      return () => {
        result = is;
      };
    },
  );
  if (all === undefined) return () => undefined;
  return (value, parent, key) => {
    result = undefined;
    all(value, parent, key);
    return result;
  };
}

/**
 * `=` and `!=` between texts, numbers and booleans, and the order of numbers; an empty side gives an empty result.
 * Throws NeedsInterpreter for values that are not compared by their JSON value only.
 * https://hl7.org/fhirpath/N1/#equality
 */
function compileComparison(tree: Expression & { kind: 'binary' }, type: ResultType, scope: Scope): Predicate {
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
