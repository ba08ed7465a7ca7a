import { asObject } from '../fhir/json-object.ts';
import type { Focus, JobResult, Questions } from '../fhirpath/delegate/job.ts';
import { EvaluationError, TooCostly } from '../fhirpath/evaluate/errors.ts';
import { plain } from '../fhirpath/evaluate/item.ts';
import type { Item } from '../fhirpath/evaluate/item.ts';
import { nodesAt } from '../fhirpath/evaluate/node.ts';
import type { Node } from '../fhirpath/evaluate/node.ts';
import type { TypeDefinitions } from '../model/element.ts';

/** Cost of an evaluation by fhirpath.js, as a number of visited values. */
export const priceOfJob = 500;

/**
 * The results of an expression that fhirpath.js evaluates on one value; undefined until the question is answered.
 * Throws EvaluationError and TooCostly. https://github.com/HL7/fhirpath.js
 */
export function delegated(
  expression: string,
  item: Item,
  root: Node,
  types: TypeDefinitions,
  questions: Questions,
): readonly Item[] | undefined {
  const resource = asObject(root.value);
  const focus = focusOf(item);
  const answer = questions.ask({ expression, focus, resource, rootResource: resource, resolve: 'contained' });
  if (answer === undefined) return undefined;
  if (answer.kind === 'late') throw new TooCostly(`it takes longer than ${answer.milliseconds} ms`);
  // The message of fhirpath.js may quote values.
  if (answer.kind === 'failed') throw new EvaluationError('fhirpath.js does not evaluate it on this record');
  return answer.results.flatMap(result => itemOf(result, item, root, types) ?? []);
}

function focusOf(item: Item): Focus {
  if (typeof item === 'object' && item.kind === 'node') {
    const { value, sibling, code, definition } = item;
    return { value, sibling, code, type: definition?.name ?? code };
  }
  const value = plain(item);
  if (typeof value === 'object' && value.kind === 'temporal') {
    const code = value.type === 'DateTime' ? 'dateTime' : value.type.toLowerCase();
    return { value: value.text, code, type: code };
  }
  const code = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'decimal') : typeof value;
  return { value, code, type: code };
}

function itemOf({ place, type, value }: JobResult, focus: Item, root: Node, types: TypeDefinitions): Item | undefined {
  if (place !== undefined) {
    const isFocus = place.of === 'focus' && typeof focus === 'object' && focus.kind === 'node';
    return nodeAt(place.steps, isFocus ? focus : root, types);
  }
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return type === 'integer' ? value : { kind: 'decimal', value };
  if (typeof value !== 'string') return undefined;
  if (type === 'date') return { kind: 'temporal', type: 'Date', text: value };
  if (type === 'dateTime') return { kind: 'temporal', type: 'DateTime', text: value };
  return type === 'time' ? { kind: 'temporal', type: 'Time', text: value } : value;
}

/** The node below `from` that names of properties and indexes lead to. */
function nodeAt(steps: readonly (string | number)[], from: Node, types: TypeDefinitions): Node | undefined {
  let node: Node | undefined = from;
  for (let at = 0; at < steps.length && node !== undefined; at++) {
    const name = String(steps[at]);
    const element = node.definition?.properties.get(name)?.element;
    if (element === undefined) return undefined;
    const found: readonly Node[] = nodesAt(node, element, types);
    const next = steps[at + 1];
    if (typeof next === 'number') at++;
    node = typeof next === 'number' ? found.find(({ index }) => index === next) : found[0];
  }
  return node;
}
