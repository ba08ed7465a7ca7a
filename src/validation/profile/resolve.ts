import { asString, isObject, objectsOf } from '../../definitions/json-object.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import { rootNode } from './fhirpath/node.ts';
import type { Node } from './fhirpath/node.ts';
import type { Walk } from './walk.ts';

/** The target of a reference where it is at hand: contained, or an entry of the Bundle. https://hl7.org/fhir/R4/bundle.html#references */
export function resolve(reference: string, { frame, kit, budget }: Walk): Node | undefined {
  if (reference === '#') return frame.root;
  if (reference.startsWith('#')) {
    const id = reference.slice(1);
    const { contained } = isObject(frame.root.value) ? frame.root.value : {};
    const all = objectsOf(contained);
    budget.spend(all.length);
    return resourceNode(
      all.find(resource => resource['id'] === id),
      kit.types,
    );
  }
  const { bundle } = frame;
  return bundle === undefined ? undefined : resourceNode(entriesOf(bundle, reference), kit.types);
}

/** By the text of a reference what stands in a Bundle; each Bundle is read once. */
function entriesOf({ value }: Node, reference: string): unknown {
  if (!isObject(value)) return undefined;
  let entries = known.get(value);
  if (entries === undefined) {
    entries = new Map();
    for (const entry of objectsOf(value['entry'])) {
      const resource = entry['resource'];
      if (!isObject(resource)) continue;
      const fullUrl = asString(entry['fullUrl']);
      if (fullUrl !== undefined) entries.set(fullUrl, resource);
      const relative = `${String(resource['resourceType'])}/${String(resource['id'])}`;
      if (fullUrl === undefined || fullUrl.endsWith(`/${relative}`)) entries.set(relative, resource);
    }
    known.set(value, entries);
  }
  return entries.get(reference.replace(/\/_history\/[^/]*$/, ''));
}

const known = new WeakMap<object, Map<string, unknown>>();

function resourceNode(value: unknown, types: TypeDefinitions): Node | undefined {
  const name = isObject(value) ? value['resourceType'] : undefined;
  const definition = typeof name === 'string' && types.resourceTypes.has(name) ? types.get(name) : undefined;
  return definition && rootNode(value, definition);
}
