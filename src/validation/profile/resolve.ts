import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { rootNode } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Walk } from './walk.ts';

/**
 * The target of a reference if it is contained, or an entry of the Bundle.
 * https://hl7.org/fhir/R4/bundle.html#references
 */
export function resolve(reference: string, walk: Walk): Node | undefined {
  const { root, bundle } = walk.frame;
  if (reference === '#') return root;
  if (reference.startsWith('#')) return resourceNode(containedIn(root, walk).get(reference.slice(1)), walk.kit.types);
  if (bundle === undefined) return undefined;
  const name = reference.replace(/\/_history\/[^/]*$/, '');
  return resourceNode(entriesOf(bundle, walk).get(name), walk.kit.types);
}

/** Whether a reference is to an entry of a Bundle. */
export const inBundle = (bundle: Node, reference: string, walk: Walk): boolean =>
  entriesOf(bundle, walk).has(reference.replace(/\/_history\/[^/]*$/, ''));

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
    if (fullUrl !== undefined) yield [fullUrl, resource];
    const relative = `${String(resource['resourceType'])}/${String(resource['id'])}`;
    if (fullUrl === undefined || fullUrl.endsWith(`/${relative}`)) yield [relative, resource];
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
