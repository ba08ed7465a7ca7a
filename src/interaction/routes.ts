import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { InteractionCode } from '../fhir/interaction.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { isId } from '../fhir/reference.ts';
import type { Model } from '../model/model.ts';
import { hasJobs, operationCallOf } from '../model/operation-call.ts';
import { isDeclared, noPath, notAllowed } from './declared.ts';
import type { CompartmentOf, Route } from './interaction.ts';

/**
 * The paths of the interface with their interactions by method, HEAD being GET: the only place that spells FHIR URLs.
 * The first match wins. Only the base URL may have a trailing slash: `Patient/` is what a client with an empty id
 * sends, and must not search (`searchPath`). https://hl7.org/fhir/R4/http.html#summary
 */
export const shapes = {
  '/r4/:partition': { GET: 'search-system', POST: 'batch' },
  '/r4/:partition/': { GET: 'search-system', POST: 'batch' },
  '/r4/:partition/metadata': { GET: 'capabilities' },
  '/r4/:partition/_search': { GET: 'search-system', POST: 'search-system' },
  '/r4/:partition/_history': { GET: 'history-system' },
  '/r4/:partition/_jobs/:job': { GET: 'job-status', DELETE: 'job-cancel' },
  '/r4/:partition/_jobs/:job/:file': { GET: 'job-file' },
  '/r4/:partition/:type': { GET: 'search-type', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  '/r4/:partition/:type/_search': { GET: 'search-type', POST: 'search-type' },
  '/r4/:partition/:type/_history': { GET: 'history-type' },
  '/r4/:partition/:type/:id': { GET: 'read', PUT: 'update', PATCH: 'patch', DELETE: 'delete' },
  '/r4/:partition/:type/:id/_history': { GET: 'history-instance' },
  '/r4/:partition/:type/:id/_history/:version': { GET: 'vread' },
  '/r4/:partition/:type/:id/_search': { GET: 'search-system', POST: 'search-system' },
  '/r4/:partition/:type/:id/:operation': { GET: 'operation', POST: 'operation' },
  '/r4/:partition/:type/:id/:member/_search': { GET: 'search-type', POST: 'search-type' },
  '/r4/:partition/*': {},
} as const satisfies Record<string, Partial<Record<string, InteractionCode>>>;

export type Shape = keyof typeof shapes;

const isShape = (path: string): path is Shape => Object.hasOwn(shapes, path);

/** All of them, in order. */
export const shapePaths: readonly Shape[] = Object.keys(shapes).filter(isShape);

/** The paths without an interaction. */
const other: Shape = '/r4/:partition/*';

/** The variable segments of a path, decoded. */
export interface Segments {
  readonly type?: string;
  readonly id?: string;
  readonly version?: string;
  /** With its `$`. */
  readonly operation?: string;
  /** The searched type of a compartment. */
  readonly member?: string;
  readonly job?: string;
  readonly file?: string;
  /** A path that has no interaction, as sent. */
  readonly rest?: string;
}

/**
 * The path of a request target: `Patient/?name=ann`, as some clients write a search, is `Patient`. A query that only a
 * read has does not make it one: a client with an empty id would get every record. Takes path and query as sent.
 */
export function searchPath(path: string, query: string): string {
  if (!path.endsWith('/') || !/^\/r4\/[^/]+\/[A-Z][A-Za-z]*\/$/.test(path)) return path;
  const names = query.split('&').map(item => item.split('=', 1)[0] ?? '');
  return names.some(name => name !== '' && !ofReads.has(name)) ? path.slice(0, -1) : path;
}

/** The parameters of a read. https://hl7.org/fhir/R4/http.html#read */
const ofReads: ReadonlySet<string> = new Set(['_format', '_pretty', '_summary', '_elements']);

/**
 * The interaction, if the definitions declare it. Throws FhirError: 404 for an unknown type, operation, compartment or
 * path; 405 with Allow for a valid path with another method.
 */
export function resolveRoute(model: Model, shape: Shape, method: string, segments: Segments): Route {
  const { type, id, version, operation, job, file } = segments;
  const isForm = shape === '/r4/:partition/:type/:id/_search' || shape === '/r4/:partition/:type/:id/:member/_search';
  if (
    shape === other ||
    (job !== undefined && !hasJobs(model)) ||
    (isForm && segments.member !== undefined && !hasCompartments(model))
  )
    throw noPath(segments.rest);
  if (type?.startsWith('$') === true && shape === '/r4/:partition/:type')
    return operationRoute(model, method, { invoked: type });
  if (type !== undefined) checkType(model, type);
  if (type !== undefined && id !== undefined && (isForm || operation?.startsWith('$') === false))
    return compartmentRoute(model, method, { type, id, isForm, member: segments.member ?? operation ?? '*' });
  const invoked = operation ?? (id?.startsWith('$') === true ? id : undefined);
  if (type !== undefined && invoked !== undefined)
    return operationRoute(model, method, { type, invoked, id: operation === undefined ? undefined : id });
  const methods: Partial<Record<string, InteractionCode>> = shapes[shape];
  const routeOf = (interaction: InteractionCode): Route => ({
    interaction,
    resourceType: type,
    id,
    version,
    ...(job === undefined ? {} : { job, file }),
  });
  const interaction = methods[method === 'HEAD' ? 'GET' : method];
  const route = interaction === undefined ? undefined : routeOf(interaction);
  if (route !== undefined && isServed(model, route)) return route;
  const allowed = Object.entries(methods).flatMap(([name, interaction]) =>
    interaction !== undefined && isServed(model, routeOf(interaction)) ? methodNames(name) : [],
  );
  throw notAllowed(model, method, { interaction, resourceType: type, id }, allowed);
}

/**
 * The declared interaction of a path below the base URL, such as `Patient/12`, with the query of its URL, both as sent.
 * Throws FhirError as `resolveRoute` does.
 */
export function routeOfPath(model: Model, method: string, path: string, query = ''): Route {
  const { value: shape, params } = findShape(searchPath(`/r4/-/${path}`, query)) ?? { value: other, params: {} };
  return resolveRoute(model, shape, method, params);
}

/**
 * An operation on the system, on a type or on an instance, by POST, and by GET if it changes nothing and needs no body.
 * https://hl7.org/fhir/R4/operations.html#executing
 */
function operationRoute(
  model: Model,
  method: string,
  { type, id, invoked }: { readonly type?: string; readonly id?: string | undefined; readonly invoked: string },
): Route {
  const route = { interaction: 'operation', resourceType: type, id, operation: invoked.slice(1) } as const;
  const call = operationCallOf(model, route);
  if (call === undefined) throw noOperation(invoked);
  if (call.methods.some(one => one === (method === 'HEAD' ? 'GET' : method))) return route;
  throw notAllowed(model, method, { interaction: undefined }, call.methods.flatMap(methodNames));
}

const hasCompartments = ({ searchedCompartments }: Model): boolean => searchedCompartments.size > 0;

/**
 * The search of a compartment: of the records of one type in it, or of all with `*`.
 * https://hl7.org/fhir/R4/http.html#search
 */
function compartmentRoute(
  model: Model,
  method: string,
  { type, id, member, isForm }: CompartmentOf & { readonly member: string; readonly isForm: boolean },
): Route {
  if (!model.searchedCompartments.has(type) || !isId(id)) throw noPath();
  const isAll = member === '*';
  if (!isAll) {
    checkType(model, member);
    if (model.types.get(member)?.compartmentLinks.has(type) !== true) throw notInCompartment(member, type);
  }
  const methods = isForm ? ['GET', 'POST'] : ['GET'];
  if (!methods.includes(method === 'HEAD' ? 'GET' : method))
    throw notAllowed(model, method, { interaction: undefined }, methods.flatMap(methodNames));
  const compartment = { type, id };
  return isAll
    ? { interaction: 'search-system', compartment }
    : { interaction: 'search-type', resourceType: member, compartment };
}

const methodNames = (name: string): readonly string[] => (name === 'GET' ? ['GET', 'HEAD'] : [name]);

/** The body of a POST on the base URL determines whether it is a batch or a transaction. */
const isServed = (model: Model, asked: Parameters<typeof isDeclared>[1]): boolean =>
  isDeclared(model, asked) ||
  (asked.interaction === 'batch' && isDeclared(model, { ...asked, interaction: 'transaction' }));

function checkType(model: Model, type: string): void {
  if (model.types.has(type)) return;
  if (type.startsWith('$')) throw noOperation(type);
  const known = model.definitions.resourceTypes.has(type);
  throw fhirError(
    404,
    'not-supported',
    known
      ? `The resource type \`${type}\` is not supported; \`metadata\` lists the supported ones.`
      : `\`${type}\` is not a resource type of FHIR R4.${didYouMean(type, model.types.keys())}`,
  );
}

const noOperation = (name: string): FhirError =>
  fhirError(404, 'not-supported', `The operation \`${name}\` is not supported; \`metadata\` lists the supported ones.`);

const notInCompartment = (type: string, owner: string): FhirError =>
  fhirError(404, 'not-supported', `Records of ${type} cannot be searched in the compartment of a ${owner}.`);

const findShape = createPaths(shapePaths.map(shape => [shape, shape]));

/** The matching pattern of a path, with the decoded values of its variable segments. */
interface Match<T> {
  readonly pattern: string;
  readonly value: T;
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds the first pattern that matches a path: `/r4/:partition/:type`, where a name matches one non-empty segment, and
 * `*` at the end a non-empty rest (`rest`, as sent). Case matters, and so does a trailing slash. Paths are as sent,
 * with well-formed escapes.
 */
export function createPaths<T>(patterns: readonly (readonly [string, T])[]): (path: string) => Match<T> | undefined {
  const compiled = patterns.map(([pattern, value]) => ({ pattern, value, ...compile(pattern) }));
  const longest = Math.max(0, ...compiled.map(({ parts }) => parts.length)) + 1;
  // Patterns by the number of segments: a path of more than any pattern has fits the same open ones.
  const ofLength = Array.from({ length: longest + 1 }, (_, length) =>
    compiled.filter(({ parts, open }) => (open ? length > parts.length : length === parts.length)),
  );
  return path => {
    const segments = path.split('/');
    for (const { pattern, value, parts, open } of ofLength[Math.min(segments.length, longest)] ?? []) {
      if (open && segments.length === parts.length + 1 && segments.at(-1) === '') continue;
      if (areMatched(parts, segments)) {
        const rest = open ? { rest: segments.slice(parts.length).join('/') } : {};
        return { pattern, value, params: { ...paramsOf(parts, segments), ...rest } };
      }
    }
    return undefined;
  };
}

function areMatched(parts: readonly Part[], segments: readonly string[]): boolean {
  for (const { at, name, text } of parts)
    if (name === undefined ? segments[at] !== text : segments[at] === '') return false;
  return true;
}

/** A segment, the `at`-th; `name` if it is variable. */
interface Part {
  readonly at: number;
  readonly name: string | undefined;
  readonly text: string;
}

function compile(pattern: string): { readonly parts: readonly Part[]; readonly open: boolean } {
  const open = pattern.endsWith('/*');
  const texts = (open ? pattern.slice(0, -2) : pattern).split('/');
  return {
    parts: texts.map((text, at) => ({ at, text, name: text.startsWith(':') ? text.slice(1) : undefined })),
    open,
  };
}

function paramsOf(parts: readonly Part[], segments: readonly string[]): Readonly<Record<string, string>> {
  const params: Record<string, string> = {};
  for (const { at, name } of parts) {
    const segment = segments[at] ?? '';
    if (name !== undefined) params[name] = segment.includes('%') ? decodeURIComponent(segment) : segment;
  }
  return params;
}
