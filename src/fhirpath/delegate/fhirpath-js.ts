import { createRequire } from 'node:module';
import { Cache } from '../../limits/cache.ts';
import { referredType } from '../referred-type.ts';
import { referenceKey, resourceKey } from '../record-keys.ts';
import { parseExpression } from '../parse.ts';
import { partsOf } from '../syntax.ts';
import type { Expression } from '../syntax.ts';
import { constantOf } from '../names.ts';
import type { JobAnswer, Focus, Job, JobResult } from './job.ts';

/**
 * Runs one job with fhirpath.js; never throws. The package is loaded at the first call.
 * https://github.com/HL7/fhirpath.js
 */
export function runJob(job: Job): JobAnswer {
  try {
    const run = compiled(job.expression);
    current = job;
    return { kind: 'results', results: run(job) };
  } catch (error) {
    return { kind: 'failed', message: (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ') };
  }
}

type RunJob = (job: Job) => readonly JobResult[];

let current: Job | undefined;
/** Expressions come from definitions, which rarely have more. */
const known = new Cache<RunJob>(1000);

function compiled(expression: string): RunJob {
  let run = known.get(expression);
  if (run === undefined) {
    run = compile(expression);
    known.put(expression, run);
  }
  return run;
}

function compile(expression: string): RunJob {
  const { fhirpath, r4, first } = load();
  const constants: Record<string, string> = {};
  collectConstants(parseExpression(expression), constants);
  const evaluate = fhirpath.compile(expression, r4, {
    resolveInternalTypes: false,
    preciseMath: true,
    traceFn: () => {},
    userInvocationTable: {
      resolve: { internalStructures: true, arity: { 0: [] }, fn: resolve },
      getResourceKey: { internalStructures: true, arity: { 0: [] }, fn: keysOfResources },
      getReferenceKey: { internalStructures: true, arity: { 0: [], 1: ['TypeSpecifier'] }, fn: keysOfReferences },
    },
  });
  return job => {
    const { resource, rootResource } = job;
    const found = evaluate(nodeOf(job.focus, first), { ...constants, resource, rootResource });
    const types = fhirpath.types(found);
    return found.flatMap((item, index) => resultOf(item, types[index] ?? '', job));
  };
}

/** A value that is not a whole resource must be made a typed node. */
function nodeOf({ value, sibling, code, type }: Focus, { ctx, constructor }: Node): unknown {
  return constructor.makeResNode(ctx, value, null, type, sibling ?? null, code, null, null);
}

function resolve(this: unknown, nodes: readonly Node[]): readonly unknown[] {
  const { rootResource, resolve: way } = current as Job; // it runs within runJob
  return nodes.flatMap(node => {
    const { data, constructor } = node;
    const make = (resource: object): unknown => constructor.makeResNode(this, resource, null, null, null, null);
    if (way === 'type') {
      const resourceType = referredType(data, rootResource, load());
      return resourceType === undefined ? [] : [make({ resourceType })];
    }
    const text = typeof data === 'string' ? data : (data as { reference?: unknown } | null)?.reference;
    const { contained } = rootResource as { contained?: unknown }; // any JSON object is possible
    const all: readonly unknown[] = Array.isArray(contained) ? contained : [];
    const target = text === '#' ? rootResource : all.find(one => `#${(one as { id?: string } | null)?.id}` === text);
    if (typeof target !== 'object' || target === null) throw new Error('the target of a reference is not available');
    return [make(target)];
  });
}

const keysOfResources = (nodes: readonly Node[]): readonly string[] =>
  nodes.flatMap(({ data, parentResNode }) => (parentResNode === null ? (resourceKey(data) ?? []) : []));

const keysOfReferences = (nodes: readonly Node[], type?: { readonly name: string }): readonly string[] =>
  nodes.flatMap(({ data }) => referenceKey(data, type?.name) ?? []);

function resultOf(item: unknown, typeName: string, job: Job): readonly JobResult[] {
  const name = typeName.slice(typeName.indexOf('.') + 1);
  const type = typeName.startsWith('System.') ? name.charAt(0).toLowerCase() + name.slice(1) : name;
  if (item === null || item === undefined) return [];
  const node = typeof item === 'object' && 'parentResNode' in item ? (item as Node) : undefined;
  if (node !== undefined && node.data === null && node._data === null) return []; // a gap in an array
  const place = node && stepsTo(node, job);
  if (place !== undefined) return [{ type, place }];
  const value = JSON.parse(JSON.stringify(item) ?? 'null') as unknown; // dates, quantities and decimals as JSON
  return value === null ? [] : [{ type, value }];
}

/**
 * The position of a node: names of properties and indexes from the value that was sent; undefined for a computed value.
 */
function stepsTo(from: Node, { focus, resource }: Job): JobResult['place'] {
  const steps: (string | number)[] = [];
  let node = from;
  for (; node.parentResNode !== null; node = node.parentResNode) {
    const { propName, index, fhirNodeDataType: type } = node;
    const owner = node.parentResNode.data;
    if (typeof propName !== 'string' || typeof owner !== 'object' || owner === null) return undefined;
    // A choice may be named by its element.
    const property =
      propName in owner || type === null ? propName : propName + type.charAt(0).toUpperCase() + type.slice(1);
    const held = (owner as Record<string, unknown>)[property]; // an object of JSON
    if (Array.isArray(held)) steps.push(index ?? held.indexOf(node.data));
    steps.push(property);
  }
  steps.reverse();
  if (node.data === focus.value) return { of: 'focus', steps };
  return node.data === resource ? { of: 'resource', steps } : undefined;
}

function collectConstants(tree: Expression, constants: Record<string, string>): void {
  const value = tree.kind === 'variable' ? constantOf(tree.name) : undefined;
  if (tree.kind === 'variable' && value !== undefined) constants[tree.name] = value;
  for (const part of partsOf(tree)) collectConstants(part, constants);
}

/** The properties of fhirpath.js' ResourceNode that are used. */
interface Node {
  readonly ctx: unknown;
  readonly data: unknown;
  /** The extensions of a primitive. */
  readonly _data: unknown;
  readonly propName: string | null;
  readonly index: number | null;
  readonly fhirNodeDataType: string | null;
  readonly parentResNode: Node | null;
  readonly constructor: { makeResNode(...parts: unknown[]): unknown };
}

interface Loaded {
  readonly fhirpath: {
    compile(path: string, model: unknown, options: object): (value: unknown, variables: object) => readonly unknown[];
    types(values: readonly unknown[]): readonly string[];
  };
  readonly r4: unknown;
  readonly resourceTypes: ReadonlySet<string>;
  /** A node from which others are made. */
  readonly first: Node;
}

let loaded: Loaded | undefined;

function load(): Loaded {
  if (loaded === undefined) {
    const require = createRequire(import.meta.url);
    const fhirpath = require('fhirpath') as Loaded['fhirpath']; // its own types leave nodes untyped
    const r4 = require('fhirpath/fhir-context/r4') as { readonly type2Parent: Readonly<Record<string, string>> };
    const options = { resolveInternalTypes: false, preciseMath: true };
    const [first] = fhirpath.compile('$this', r4, options)({ resourceType: 'Basic' }, {});
    const types = Object.entries(r4.type2Parent).filter(([, parent]) => /^(Domain)?Resource$/.test(parent));
    loaded = { fhirpath, r4, resourceTypes: new Set(types.map(([name]) => name)), first: first as Node };
  }
  return loaded;
}
