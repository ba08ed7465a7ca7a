import { isObject } from '../../fhir/json-object.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { containedIn } from './resolve.ts';
import type { ResourceContext, Walk } from './walk.ts';

/**
 * The context of a resource that the walk enters from another one: as its child (contained, in a Bundle or Parameters),
 * or as the target of a reference. https://hl7.org/fhir/R4/fhirpath.html#variables
 */
export function contextOf(node: Node, walk: Walk): ResourceContext {
  const { context } = walk;
  const { value, element } = node;
  if (value === context.resource.value || node.definition?.kind !== 'resource' || !isObject(value)) return context;
  const contained =
    element === undefined
      ? containedIn(context.root, walk).get(String(value['id'])) === value
      : element.name === 'contained';
  const inBundle = element !== undefined && !contained && context.resource.code === 'Bundle';
  return {
    resource: node,
    root: contained ? context.root : node,
    bundle: inBundle ? context.resource : context.bundle,
  };
}

/** Runs a step in the context of a resource. */
export function inContextOf(node: Node, walk: Walk, step: (node: Node, walk: Walk) => void): void {
  const { context } = walk;
  walk.context = contextOf(node, walk);
  try {
    step(node, walk);
  } finally {
    walk.context = context;
  }
}
