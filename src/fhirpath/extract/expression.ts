import type { TypeDefinitions } from '../../model/element.ts';
import { inferTypes } from '../infer.ts';
import { parseExpression } from '../parse.ts';
import { rootType } from '../result-type.ts';
import type { ResultType } from '../result-type.ts';
import { ExpressionError, partsOf } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import { delegate } from './delegated.ts';
import type { RunExpression } from './delegated.ts';
import { compilePath } from './path.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Choose, Scope } from './scope.ts';

export type { ResultType } from '../result-type.ts';
export type { Choose, Receive } from './scope.ts';

/** A compiled FHIRPath expression. */
export interface CompiledExpression {
  /** FHIR type codes of its results; empty if `fallback`, since only the values determine them. */
  readonly types: ReadonlySet<string>;
  /** The types of its results with the definition of each. */
  readonly results: readonly ResultType[];
  /** True if a resource has at most one result. */
  readonly single: boolean;
  /** True if fhirpath.js runs it. */
  readonly fallback: boolean;
  /** All results on a resource, or on an element of `resource`. */
  evaluate(value: object, resource?: object): readonly Extracted[];
  /**
   * Evaluates fast: results are passed to the receiver that `choose` returns for their type, and nothing is
   * collected. Not reentrant.
   */
  bind(choose: Choose): (value: object, resource?: object) => void;
}

/** One result. A primitive is at `parent[key]`, by which the text of a decimal is found (fhir/json.ts). */
export interface Extracted {
  readonly value: unknown;
  /** FHIR type code. */
  readonly type: string;
  readonly parent: object;
  readonly key: string | number;
}

/**
 * Compiles a FHIRPath expression on a type: its name, or a result of another expression, on which the components of a
 * composite are evaluated. `resolve() is T` is decided by the reference itself. Primitives with extensions but without
 * a value are not results. An expression that fhirpath.js runs throws NotEvaluated if it fails on a value. Throws Error
 * with a whole sentence for invalid FHIRPath, unknown elements, types or functions, and for an expression that never
 * has a result. https://hl7.org/fhirpath/N1/, https://hl7.org/fhir/R4/searchparameter.html
 */
export function compileExpression(
  expression: string,
  type: string | ResultType,
  definitions: TypeDefinitions,
): CompiledExpression {
  const base = typeof type === 'string' ? named(type, definitions) : type;
  const root = rootOf(base, definitions);
  const tree = parseExpression(expression);
  const context = { context: [base], resource: [root], otherTypes: true };
  const [problem] = inferTypes(tree, expression, definitions, context).problems;
  if (problem !== undefined) throw new ExpressionError(expression, problem.at, problem.message);
  checkIndexable(tree, expression, false);
  const bind = (choose: Choose): RunExpression => {
    const scope: Scope = { compilePath, text: expression, definitions, root, resource: {} };
    const receive = compilePath(tree, base, scope, choose);
    return (value, resource) => {
      scope.resource = resource;
      receive?.(value, value, '');
    };
  };
  const results: ResultType[] = [];
  try {
    bind(found => {
      results.push(found);
      return () => {};
    });
  } catch (error) {
    if (!(error instanceof NeedsInterpreter)) throw error;
    return describe(undefined, delegate(expression, base, definitions));
  }
  if (results.length === 0) {
    throw new ExpressionError(expression, 0, `The expression never yields anything on ${base.path}`);
  }
  return describe(results, bind);
}

/**
 * Throws ExpressionError for the time of day, and for `resolve()` if more than the type of its target is used: other
 * resources are not fetched for an index.
 */
function checkIndexable(tree: Expression, text: string, typeAsked: boolean): void {
  if (tree.kind === 'call') {
    const { name, at } = tree;
    if (/^(today|now|timeOfDay)$/.test(name)) {
      const why = 'the index would say when a record was indexed';
      throw new ExpressionError(text, at, `\`${name}()\` cannot be used in a search parameter: ${why}`);
    }
    if (name === 'resolve' && !typeAsked) {
      const how = 'as in `resolve() is Type`: other resources are not read for the index of this one';
      throw new ExpressionError(text, at, `\`resolve()\` can only be asked for its type, ${how}`);
    }
  }
  const asksType = (tree.kind === 'type' && tree.operator === 'is') || (tree.kind === 'call' && tree.name === 'is');
  for (const part of partsOf(tree)) checkIndexable(part, text, asksType && part === tree.of);
}

function describe(
  results: readonly ResultType[] | undefined,
  bind: (choose: Choose) => RunExpression,
): CompiledExpression {
  const prepare = (choose: Choose): ((value: object, resource?: object) => void) => {
    const run = bind(choose);
    return (value, resource) => {
      run(value, resource ?? value);
    };
  };
  return {
    types: new Set(results?.map(({ code }) => code)),
    results: results ?? [],
    single: results !== undefined && isSingle(results),
    fallback: results === undefined,
    bind: prepare,
    evaluate(value, resource) {
      const all: Extracted[] = [];
      prepare(({ code, definition }) => (found, parent, key) => {
        const type = definition?.kind === 'resource' ? typeOf(found, code) : code;
        all.push({ value: found, type, parent, key });
      })(value, resource);
      return all;
    },
  };
}

/** A resource names its own type, where the definitions only have `Resource`. */
function typeOf(resource: unknown, otherwise: string): string {
  const { resourceType } = resource as { resourceType?: unknown }; // an object of JSON
  return typeof resourceType === 'string' ? resourceType : otherwise;
}

/** Several types of one element exclude each other; results of different elements do not. */
const isSingle = (results: readonly ResultType[]): boolean =>
  results.every(({ many, path }) => !many && path === results[0]?.path);

function named(name: string, definitions: TypeDefinitions): ResultType {
  const definition = definitions.get(name);
  if (definition === undefined) throw new Error(`There is no type \`${name}\``);
  return rootType(definition);
}

/** The first word of the path is the resource type of an element. */
function rootOf(base: ResultType, definitions: TypeDefinitions): ResultType {
  const name = base.path.slice(0, base.path.indexOf('.') === -1 ? undefined : base.path.indexOf('.'));
  const definition = definitions.get(name);
  return definition === undefined ? base : rootType(definition);
}
