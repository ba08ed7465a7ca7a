import { checkElements, checkNames } from './check.ts';
import { delegate } from './delegated.ts';
import type { Run } from './delegated.ts';
import { parseExpression } from '../parse.ts';
import { compilePath } from './path.ts';
import { rootType } from '../result-type.ts';
import type { Choose, ResultType } from '../result-type.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Scope } from './scope.ts';
import { ExpressionError } from '../syntax.ts';
import type { TypeDefinitions } from '../../model/element.ts';

export type { Choose, Receive, ResultType } from '../result-type.ts';

/** A FHIRPath expression, ready to run. */
export interface CompiledExpression {
  /** FHIR type codes of what it can yield; empty where `fallback`, since only the values tell then. */
  readonly types: ReadonlySet<string>;
  /** The same with what the definitions know of each. */
  readonly results: readonly ResultType[];
  /** True where one resource can have at most one result. */
  readonly single: boolean;
  /** True where fhirpath.js runs it. */
  readonly fallback: boolean;
  /** All results on a resource, or on an element of `resource`. */
  evaluate(value: object, resource?: object): readonly Extracted[];
  /**
   * The same for speed: results go to what `choose` names for their type, and nothing is collected. Not to be run
   * within itself.
   */
  bind(choose: Choose): (value: object, resource?: object) => void;
}

/** One result. A primitive stands at `parent[key]`, by which the text of a decimal is found (fhir/json.ts). */
export interface Extracted {
  readonly value: unknown;
  /** FHIR type code. */
  readonly type: string;
  readonly parent: object;
  readonly key: string | number;
}

/**
 * Compiles a FHIRPath expression on a type: its name, or a result of another expression, on which the components of a
 * composite are evaluated. `resolve() is T` is decided by the reference itself. Primitives that have extensions but no
 * value are no results. What fhirpath.js runs throws NotEvaluated where it fails on a value. Throws an Error with a
 * whole sentence for what is not FHIRPath, names elements, types or functions that do not exist, or never yields
 * anything. https://hl7.org/fhirpath/N1/, https://hl7.org/fhir/R4/searchparameter.html
 */
export function compileExpression(
  expression: string,
  type: string | ResultType,
  definitions: TypeDefinitions,
): CompiledExpression {
  const base = typeof type === 'string' ? named(type, definitions) : type;
  const tree = parseExpression(expression);
  checkNames(tree, expression, definitions);
  const bind = (choose: Choose): Run => {
    const scope: Scope = {
      compilePath,
      text: expression,
      definitions,
      root: rootOf(base, definitions),
      resource: {},
      found: new Set(),
      missing: new Map(),
    };
    const receive = compilePath(tree, base, scope, choose);
    checkElements(scope);
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

function describe(results: readonly ResultType[] | undefined, bind: (choose: Choose) => Run): CompiledExpression {
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

/** A resource says itself what it is, where the definitions only say `Resource`. */
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

/** The resource that a type of an element belongs to is the first word of its path. */
function rootOf(base: ResultType, definitions: TypeDefinitions): ResultType {
  const name = base.path.slice(0, base.path.indexOf('.') === -1 ? undefined : base.path.indexOf('.'));
  const definition = definitions.get(name);
  return definition === undefined ? base : rootType(definition);
}
