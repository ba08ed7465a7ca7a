import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { parseReference } from '../../fhir/reference.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { rootNode } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Walk } from './walk.ts';

/**
 * The target of a reference if it is contained, or an entry of the Bundle. A relative one has the base of the entry
 * that contains it, if the fullUrl of that is RESTful. https://hl7.org/fhir/R4/bundle.html#references
 */
export function resolve(reference: string, walk: Walk): Node | undefined {
  const { root, bundle } = walk.context;
  if (reference === '#') return root;
  if (reference.startsWith('#'))
    return resourceNode(containedIn(root, walk).get(reference.slice(1)), walk.rulebook.types);
  if (bundle === undefined) return undefined;
  return resourceNode(entryOf(bundle, root.value, reference, walk), walk.rulebook.types);
}

/** The resource of the entry of a Bundle to which a reference in the resource `from` is; undefined if it has none. */
export function entryOf(bundle: Node, from: unknown, reference: string, walk: Walk): unknown {
  const name = reference.replace(/\/_history\/[^/]*$/, '');
  const entries = entriesOf(bundle, walk);
  if (parseReference(name)?.kind !== 'relative') return entries.get(name);
  const own = parseReference(fullUrlsOf(partOf(bundle, 'entry')).get(from) ?? '');
  return entries.get(name) ?? entries.get(`${own?.kind === 'absolute' ? own.base : anyServer}/${name}`);
}

/** The base of the entries of all servers, for references whose entry has no base. */
const anyServer = '*';

/** The fullUrls of the resources of a list of entries, read once. */
function fullUrlsOf(list: unknown): ReadonlyMap<unknown, string> {
  if (!Array.isArray(list)) return new Map();
  const found =
    known.get(list) ?? new Map(objectsOf(list).map(({ resource, fullUrl }) => [resource, asString(fullUrl) ?? '']));
  known.set(list, found);
  return found;
}

const known = new WeakMap<object, ReadonlyMap<unknown, string>>();

/** The resources that a resource contains, by id. */
export const containedIn = (root: Node, walk: Walk): ReadonlyMap<string, unknown> =>
  indexed(partOf(root, 'contained'), walk, function* (resource) {
    yield [String(resource['id']), resource];
  });

/** The entries of a Bundle, by the references to them. */
const entriesOf = (bundle: Node, walk: Walk): ReadonlyMap<string, unknown> =>
  indexed(partOf(bundle, 'entry'), walk, function* (entry) {
    const resource = entry['resource'];
    if (!isObject(resource)) return;
    const fullUrl = asString(entry['fullUrl']);
    const relative = `${String(resource['resourceType'])}/${String(resource['id'])}`;
    yield [fullUrl ?? relative, resource];
    if (fullUrl?.endsWith(`/${relative}`) === true) yield [`${anyServer}/${relative}`, resource];
  });

const partOf = ({ value }: Node, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** Reads a list once per validation; of several with one name the first counts. */
function indexed(
  list: unknown,
  { targets, budget }: Walk,
  read: (item: JsonObject) => Iterable<readonly [string, unknown]>,
): ReadonlyMap<string, unknown> {
  let found = targets.get(list);
  if (found === undefined) {
    found = new Map<string, unknown>();
    for (const item of objectsOf(list))
      for (const [name, resource] of read(item)) if (!found.has(name)) found.set(name, resource);
    budget.spend(found.size);
    targets.set(list, found);
  }
  return found;
}

function resourceNode(value: unknown, types: TypeDefinitions): Node | undefined {
  const name = isObject(value) ? value['resourceType'] : undefined;
  const definition = typeof name === 'string' && types.resourceTypes.has(name) ? types.get(name) : undefined;
  return definition && rootNode(value, definition);
}
