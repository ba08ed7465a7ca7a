import { isObject } from '../../fhir/json-object.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { containedIn } from './resolve.ts';
import type { Frame, Walk } from './walk.ts';

/**
 * The frame of a resource that the walk enters from another one: as its child (contained, in a Bundle or Parameters),
 * or as the target of a reference. https://hl7.org/fhir/R4/fhirpath.html#variables
 */
export function frameOf(node: Node, walk: Walk): Frame {
  const { frame } = walk;
  const { value, element } = node;
  if (value === frame.resource.value || node.definition?.kind !== 'resource' || !isObject(value)) return frame;
  const contained =
    element === undefined
      ? containedIn(frame.root, walk).get(String(value['id'])) === value
      : element.name === 'contained';
  const inBundle = element !== undefined && !contained && frame.resource.code === 'Bundle';
  return { resource: node, root: contained ? frame.root : node, bundle: inBundle ? frame.resource : frame.bundle };
}

/** Runs a step in the frame of a resource. */
export function inFrameOf(node: Node, walk: Walk, step: (node: Node, walk: Walk) => void): void {
  const { frame } = walk;
  walk.frame = frameOf(node, walk);
  try {
    step(node, walk);
  } finally {
    walk.frame = frame;
  }
}
