import type { JsonObject } from '../../src/fhir/json-object.ts';
import { Budget } from '../../src/fhirpath/evaluate/environment.ts';
import type { Environment } from '../../src/fhirpath/evaluate/environment.ts';
import { rootNode } from '../../src/fhirpath/evaluate/node.ts';
import type { Node } from '../../src/fhirpath/evaluate/node.ts';
import type { TypeDefinitions } from '../../src/model/element.ts';

/** A resource as rules see it. */
export function nodeOf(resource: JsonObject, types: TypeDefinitions): Node {
  const definition = types.get(String(resource['resourceType']));
  if (definition === undefined) throw new Error('The test names no type');
  return rootNode(resource, definition);
}

/** The environment of a rule on a whole resource, without terminology or other resources. */
export const environmentOn = (node: Node, types: TypeDefinitions, budget = new Budget(10_000_000)): Environment => ({
  types,
  resource: node,
  rootResource: node,
  context: node,
  budget,
  resolve: () => undefined,
  memberOf: () => undefined,
  conformsTo: () => undefined,
  this: node,
  index: 0,
  total: [],
});
