import { isAmbiguous, namedType } from '../names.ts';
import { computedBoolean, isA, narrowed } from '../result-type.ts';
import type { ResultType } from '../result-type.ts';
import type { Expression } from '../syntax.ts';
import { compileMember, compileMemberOf } from './member.ts';
import { compilePredicate, isPredicate } from './predicate.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Choose, Receive, Scope } from './scope.ts';

/**
 * Compiles an expression on a value of `type` to a function that passes each result to the receiver that `choose`
 * returns for its type; undefined if it never has a result that is received. The expression has no mistakes. Throws
 * NeedsInterpreter for unsupported forms. https://hl7.org/fhirpath/N1/
 */
export function compilePath(tree: Expression, type: ResultType, scope: Scope, choose: Choose): Receive | undefined {
  if (isPredicate(tree)) return computed(tree, type, scope, choose);
  switch (tree.kind) {
    case 'this':
      return choose(type);
    case 'variable':
      return compileVariable(tree.name, scope, choose);
    case 'member':
      return tree.of === undefined
        ? compileMember(tree, type, scope, choose)
        : compilePath(tree.of, type, scope, owner => compileMemberOf(tree, owner, scope, choose));
    case 'index':
      return compileIndex(tree, type, scope, choose);
    case 'type':
      return compilePath(
        tree.of,
        type,
        scope,
        ofType(namedType(tree.type, scope.text, scope.definitions), scope, choose),
      );
    case 'call':
      return compileCall(tree, type, scope, choose);
    case 'binary': {
      if (tree.operator !== '|') throw new NeedsInterpreter();
      return both(compilePath(tree.left, type, scope, choose), compilePath(tree.right, type, scope, choose));
    }
    case 'literal':
    case 'other':
    case 'sign':
      break;
  }
  throw new NeedsInterpreter();
}

/** A union, without duplicates: an index has each value once. */
function both(left: Receive | undefined, right: Receive | undefined): Receive | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return (value, parent, key) => {
    left(value, parent, key);
    right(value, parent, key);
  };
}

function compileVariable(name: string, scope: Scope, choose: Choose): Receive | undefined {
  if (name !== 'resource') throw new NeedsInterpreter();
  const next = choose(scope.root);
  return next && (() => next(scope.resource, scope.resource, ''));
}

/** A comparison as a result: its boolean, or nothing if it is undecided. */
function computed(tree: Expression, type: ResultType, scope: Scope, choose: Choose): Receive | undefined {
  const predicate = compilePredicate(tree, type, scope);
  const next = choose(computedBoolean);
  if (next === undefined) return undefined;
  return (value, parent, key) => {
    const result = predicate(value, parent, key);
    if (result !== undefined) next(result, parent, key);
  };
}

/** `[n]` and `first()`: results are counted over all of their types. */
function compileNth(
  of: Expression,
  wanted: number,
  type: ResultType,
  scope: Scope,
  choose: Choose,
): Receive | undefined {
  // A union removes duplicates, which changes the numbers of later results.
  if (wanted > 0 && hasUnion(of)) throw new NeedsInterpreter();
  let seen = 0;
  const all = compilePath(of, type, scope, found => {
    const next = choose({ ...found, many: type.many });
    return (value, parent, key) => {
      if (seen++ === wanted) next?.(value, parent, key);
    };
  });
  if (all === undefined) return undefined;
  return (value, parent, key) => {
    seen = 0;
    all(value, parent, key);
  };
}

function hasUnion(tree: Expression): boolean {
  if (tree.kind === 'binary') return true;
  return 'of' in tree && tree.of !== undefined && hasUnion(tree.of);
}

function compileIndex(
  tree: Expression & { kind: 'index' },
  type: ResultType,
  scope: Scope,
  choose: Choose,
): Receive | undefined {
  if (tree.index.kind !== 'literal' || !Number.isInteger(tree.index.value)) throw new NeedsInterpreter();
  return compileNth(tree.of, Number(tree.index.value), type, scope, choose);
}

function compileCall(
  tree: Expression & { kind: 'call' },
  type: ResultType,
  scope: Scope,
  choose: Choose,
): Receive | undefined {
  const { name, args, at } = tree;
  const of: Expression = tree.of ?? { kind: 'this', at };
  const [argument] = args;
  if (name === 'first' && args.length === 0) return compileNth(of, 0, type, scope, choose);
  if (argument === undefined || args.length !== 1) throw new NeedsInterpreter();
  switch (name) {
    case 'as':
    case 'ofType':
      return compilePath(of, type, scope, ofType(namedType(argument, scope.text, scope.definitions), scope, choose));
    case 'where':
      return compilePath(of, type, scope, found => {
        const predicate = compilePredicate(argument, found, scope);
        const next = choose(found);
        if (next === undefined) return undefined;
        return (value, parent, key) => {
          if (predicate(value, parent, key) === true) next(value, parent, key);
        };
      });
    case 'select':
      return compilePath(of, type, scope, found => compilePath(argument, found, scope, choose));
    case 'extension':
      return compilePath(of, type, scope, found => compileExtension(argument, found, at, scope, choose));
    default:
      throw new NeedsInterpreter();
  }
}

function compileExtension(
  url: Expression,
  type: ResultType,
  at: number,
  scope: Scope,
  choose: Choose,
): Receive | undefined {
  if (url.kind !== 'literal') throw new NeedsInterpreter();
  const member = { kind: 'member', at, of: undefined, name: 'extension' } as const;
  return compileMemberOf(member, type, scope, found => {
    const next = choose(found);
    if (next === undefined) return undefined;
    return (value, parent, key) => {
      if ((value as { url?: unknown }).url === url.value) next(value, parent, key); // any JSON value is possible
    };
  });
}

/** Keeps values of a type; for `Resource` only the value determines it. */
function ofType(code: string, { definitions }: Scope, choose: Choose): Choose {
  return type => {
    if (isAmbiguous(type.element, code)) throw new NeedsInterpreter();
    const kept = narrowed(type, code, definitions);
    const next = kept && choose(kept);
    if (next === undefined || kept === type) return next;
    return (value, parent, key) => {
      const { resourceType } = value as { resourceType?: unknown }; // any JSON value is possible
      if (typeof resourceType === 'string' && isA(resourceType, code, definitions)) next(value, parent, key);
    };
  };
}
