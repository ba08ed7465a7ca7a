import type { InteractionCode } from '../fhir/interaction.ts';
import { isDeclared } from '../interaction/declared.ts';
import { shapePaths, shapes } from '../interaction/routes.ts';
import type { Shape } from '../interaction/routes.ts';
import type { Model, Operation, ResourceType } from '../model/model.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One method on one path, as the interface declares it. */
export interface Call {
  /** Below the base URL, with variables in braces: `/Patient/{id}`. */
  readonly path: string;
  readonly method: Method;
  readonly interaction: InteractionCode;
  /** Undefined for the whole system, and for the types of a compartment. */
  readonly type?: ResourceType;
  readonly hasId: boolean;
  /** The compartment that is searched. */
  readonly compartment?: {
    readonly type: ResourceType;
    /** The names of the types whose records are in it; undefined if all of them are searched. */
    readonly members?: readonly string[];
  };
  readonly operation?: Operation;
}

/** Every call that the model declares, those of a type together. https://hl7.org/fhir/R4/http.html#summary */
export function callsOf(model: Model): readonly Call[] {
  const plain = shapePaths.filter(shape => !isSpecial(shape));
  return [
    ...plain.filter(shape => !shape.includes('/:type')).flatMap(shape => plainCalls(model, shape)),
    ...operationCalls(model.systemOperations.values()),
    ...[...model.types.values()].flatMap(type => [
      ...plain.filter(shape => shape.includes('/:type')).flatMap(shape => plainCalls(model, shape, type)),
      ...operationCalls(type.operations.values(), type),
      ...compartmentCalls(model, type),
    ]),
  ];
}

const prefix = '/r4/:partition';

/**
 * True for shapes whose interactions depend on more than their segments, for the second form of the base URL, and for
 * the URLs of jobs, which no client makes itself.
 */
const isSpecial = (shape: Shape): boolean =>
  shape === prefix || shape.endsWith('/*') || /\/:(?:operation|member|job)\b|\/:id\/_search$/.test(shape);

/** The path below the base URL; variables without a value are in braces. */
const pathOf = (shape: string, values: Readonly<Record<string, string>>): string =>
  shape.slice(prefix.length).replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? `{${name}}`);

function plainCalls(model: Model, shape: Shape, type?: ResourceType): readonly Call[] {
  const hasId = shape.includes('/:id');
  const place = { ...(type === undefined ? {} : { resourceType: type.name }), ...(hasId ? { id: '{id}' } : {}) };
  const path = pathOf(shape, type === undefined ? {} : { type: type.name });
  return Object.entries(shapes[shape]).flatMap(([method, code]: [string, InteractionCode]): readonly Call[] => {
    if (method === 'GET' && shape.endsWith('/_search')) return []; // the search by GET has a shorter path
    // The body of a POST on the base URL determines whether it is a batch or a transaction.
    const codes = code === 'batch' ? (['batch', 'transaction'] as const) : [code];
    const interaction = codes.find(one => isDeclared(model, { interaction: one, ...place }));
    if (interaction === undefined) return [];
    return [{ path, method: methodOf(method), interaction, hasId, ...(type === undefined ? {} : { type }) }];
  });
}

/** https://hl7.org/fhir/R4/operations.html#executing */
function operationCalls(operations: Iterable<Operation>, type?: ResourceType): readonly Call[] {
  const values = type === undefined ? {} : { type: type.name };
  return [...operations].flatMap(operation =>
    levels.flatMap(level => {
      const path = pathOf(operationShapes[level], { ...values, operation: `$${operation.code}` });
      const { methods = [] } = operation.levels[level] ?? {};
      return methods.map((method): Call => ({
        path,
        method: methodOf(method),
        interaction: 'operation',
        ...(type === undefined ? {} : { type }),
        hasId: level === 'instance',
        operation,
      }));
    }),
  );
}

const operationShapes = {
  system: `${prefix}/:operation`,
  type: `${prefix}/:type/:operation`,
  instance: '/r4/:partition/:type/:id/:operation' satisfies Shape,
} as const;
const levels = ['system', 'type', 'instance'] as const;

/** https://hl7.org/fhir/R4/http.html#search */
function compartmentCalls(model: Model, type: ResourceType): readonly Call[] {
  if (!model.searchedCompartments.has(type.name)) return [];
  const members = [...model.types.values()].flatMap(one => (one.compartmentLinks.has(type.name) ? [one.name] : []));
  const all = { interaction: 'search-system', compartment: { type }, hasId: true } as const;
  const one = { interaction: 'search-type', compartment: { type, members }, hasId: true } as const;
  const path = (shape: Shape, values: Readonly<Record<string, string>> = {}): string =>
    pathOf(shape, { type: type.name, ...values });
  return [
    { ...all, path: path('/r4/:partition/:type/:id/:operation', { operation: '*' }), method: 'get' },
    { ...all, path: path('/r4/:partition/:type/:id/_search'), method: 'post' },
    { ...one, path: path('/r4/:partition/:type/:id/:operation', { operation: '{member}' }), method: 'get' },
    { ...one, path: path('/r4/:partition/:type/:id/:member/_search'), method: 'post' },
  ];
}

const methods: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];

function methodOf(name: string): Method {
  const found = methods.find(method => method === name.toLowerCase());
  if (found === undefined) throw new Error(`The method ${name} of a path is unknown`);
  return found;
}
