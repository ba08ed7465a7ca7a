import { createRequire } from 'node:module';
import type { TypeDefinitions } from '../../model/element.ts';
import { referredType } from '../referred-type.ts';
import type { Choose, Receive, ResultType } from '../result-type.ts';
import { ExpressionError } from '../syntax.ts';

/** Runs an expression on a value; `resource` is what `%resource` yields. */
export type Run = (value: object, resource: object) => void;

/**
 * An expression run by fhirpath.js, for shapes that are not compiled; it is loaded at the first call. Types are found when
 * a value is, so `choose` is asked then. Throws ExpressionError where fhirpath.js does not take the expression.
 */
export function interpret(expression: string, type: ResultType, definitions: TypeDefinitions): (choose: Choose) => Run {
  const evaluate = compile(expression, type, definitions);
  try {
    const empty = type.definition?.kind === 'resource' ? { resourceType: type.code } : {};
    evaluate(empty, empty);
  } catch (error) {
    throw new ExpressionError(expression, 0, `The expression cannot be evaluated: ${text(error)}`);
  }
  return choose => {
    const receivers = new Map<string, Receive | undefined>();
    return (value, resource) => {
      for (const result of evaluate(value, resource)) {
        if (!receivers.has(result.type)) receivers.set(result.type, choose(foundType(result.type, type, definitions)));
        receivers.get(result.type)?.(result.value, result.parent, result.key);
      }
    };
  };
}

/**
 * `(X as T)` and `X.as(T)` written with ofType: R4's own parameters use `as` on several elements, which FHIRPath forbids
 * and by which they mean ofType. https://hl7.org/fhirpath/N1/#as-type-specifier
 */
export function asOfType(expression: string): string {
  // Strings stand at the odd places.
  const parts = expression.split(/('(?:[^'\\]|\\.)*')/);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\(\s*([\w.]+)\s+as\s+([\w.]+)\s*\)/g, '$1.ofType($2)').replace(/\.as\s*\(/g, '.ofType('),
    )
    .join('');
}

interface Result {
  readonly type: string;
  readonly value: unknown;
  readonly parent: object;
  readonly key: string | number;
}

function compile(
  expression: string,
  type: ResultType,
  definitions: TypeDefinitions,
): (value: object, resource: object) => readonly Result[] {
  const { fhirpath, r4 } = load();
  let root: object = {};
  const resolve = {
    internalStructures: true,
    arity: { 0: [] },
    fn(this: unknown, nodes: readonly Node[]) {
      return nodes.flatMap(node => {
        const target = referredType(node.data, root, definitions);
        return target === undefined
          ? []
          : [node.constructor.makeResNode(this, { resourceType: target }, null, null, null, null)];
      });
    },
  };
  let compiled: (value: object, variables: object) => readonly unknown[];
  try {
    const path =
      type.definition?.kind === 'resource'
        ? asOfType(expression)
        : { base: type.path, expression: asOfType(expression) };
    compiled = fhirpath.compile(path, r4, { resolveInternalTypes: false, userInvocationTable: { resolve } });
  } catch (error) {
    throw new ExpressionError(expression, 0, `The expression is not FHIRPath: ${text(error)}`);
  }
  return (value, resource) => {
    root = resource;
    const found = compiled(value, { resource });
    const types = fhirpath.types(found);
    return found.flatMap((item, index) => resultOf(item, types[index] ?? '', resource));
  };
}

/** What fhirpath.js says of a value: the place where it stands, if it is not computed. */
function resultOf(item: unknown, typeName: string, resource: object): readonly Result[] {
  const name = typeName.slice(typeName.indexOf('.') + 1);
  const type = typeName.startsWith('System.') ? name.charAt(0).toLowerCase() + name.slice(1) : name;
  const { data, propName, index, parentResNode } = item as Partial<Node>; // a node, or a plain value without these
  const parent = parentResNode?.data;
  if (typeof propName !== 'string' || typeof parent !== 'object' || parent === null) {
    const value = typeof data === 'object' && data !== null && 'resourceType' in data ? data : item;
    return value === null || value === undefined ? [] : [{ type, value: plain(value), parent: resource, key: '' }];
  }
  const object = parent as Record<string, unknown>; // an object of JSON
  const property = propName in object ? propName : propName + type.charAt(0).toUpperCase() + type.slice(1);
  const held = object[property];
  const list = Array.isArray(held) && typeof index === 'number' ? (held as unknown[]) : undefined;
  const value = list === undefined ? held : list[index as number];
  if (value === undefined || value === null) return [];
  return [{ type, value, parent: list ?? object, key: list === undefined ? property : (index as number) }];
}

/** Computed dates, quantities and decimals as JSON. */
const plain = (value: unknown): unknown => (typeof value === 'object' ? JSON.parse(JSON.stringify(value)) : value);

const foundType = (code: string, from: ResultType, definitions: TypeDefinitions): ResultType => ({
  code,
  definition: definitions.get(code),
  element: undefined,
  path: from.path,
  many: true,
});

/** The parts of fhirpath.js' ResourceNode that are used. */
interface Node {
  readonly data: unknown;
  readonly propName: string | null;
  readonly index: number | null;
  readonly parentResNode: Node | null;
  readonly constructor: { makeResNode(...parts: unknown[]): unknown };
}

interface Loaded {
  readonly fhirpath: {
    compile(path: unknown, model: unknown, options: object): (value: object, variables: object) => readonly unknown[];
    types(values: readonly unknown[]): readonly string[];
  };
  readonly r4: unknown;
}

let loaded: Loaded | undefined;

/** Costs 120 ms and its memory, so only servers that need it pay. */
function load(): Loaded {
  if (loaded === undefined) {
    const require = createRequire(import.meta.url);
    loaded = {
      fhirpath: require('fhirpath') as Loaded['fhirpath'], // its own types leave nodes untyped
      r4: require('fhirpath/fhir-context/r4'),
    };
  }
  return loaded;
}

const text = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
