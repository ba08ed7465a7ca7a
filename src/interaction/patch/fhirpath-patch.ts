import { plainOf } from '../../fhir/exact-json.ts';
import type { ExactJson } from '../../fhir/exact-json.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import { Budget } from '../../fhirpath/evaluate/environment.ts';
import { nodesAt } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { lengthOf, move, ownerSteps, place, remove, replace as replaceAt, slotOf } from './edit.ts';
import type { Slot } from './edit.ts';
import { unprocessable } from './failure.ts';
import { patchBudget, payForPlacing, within } from './limits.ts';
import { atPath, elementsOf, findElement, findList, nothingThere, partAt } from './locate.ts';
import type { PatchedRecord } from './locate.ts';
import type { PathOperation } from './parameters.ts';
import { valueOf, WrongValue } from './value.ts';
import type { PartValue } from './value.ts';

/** The definitions that a patch needs. */
export interface PatchDefinitions {
  /** The definition of the type of the record. */
  readonly definition: TypeDefinition;
  readonly types: TypeDefinitions;
}

/** The record in both forms, which change together: paths are evaluated on the plain one. */
interface Work extends PatchedRecord {
  readonly exact: ExactJson;
}

/**
 * Applies operations to a record, which they change. Throws FhirError 422 for one that cannot be applied.
 * https://hl7.org/fhir/R4/fhirpatch.html
 */
export function applyPathOperations(
  operations: readonly PathOperation[],
  exact: ExactJson,
  { definition, types }: PatchDefinitions,
): void {
  const work = { exact, value: plainOf(exact), definition, types, budget: new Budget(patchBudget) };
  for (const operation of operations) apply(operation, work);
}

function apply(operation: PathOperation, work: Work): void {
  switch (operation.type) {
    case 'add':
      return add(operation, work);
    case 'insert': {
      const { slot, element } = listSlot(operation, work);
      const length = lengthOf(work.value, slot);
      if (operation.index > length) throw outOfRange(operation, 'index', length);
      return put(operation, work, { ...slot, index: operation.index }, partValue(operation, element, work));
    }
    case 'delete': {
      const node = findElement(operation, work);
      if (node === undefined) return;
      const slot = slotIn(operation, node);
      return both(operation, work, slot, record => remove(record, slot));
    }
    case 'replace': {
      const node = findElement(operation, work);
      if (node === undefined) throw nothingThere(operation);
      return replace(operation, work, node);
    }
    case 'move': {
      const { slot } = listSlot(operation, work);
      const length = lengthOf(work.value, slot);
      const { source, destination } = operation;
      if (source >= length) throw outOfRange(operation, 'source', length - 1);
      if (destination >= length) throw outOfRange(operation, 'destination', length - 1);
      return both(operation, work, slot, record => move(record, slot, source, destination));
    }
    default:
      operation.type satisfies never;
  }
}

/** Adds an element that does not exist, or one more to a list. */
function add(operation: PathOperation, work: Work): void {
  const { name } = operation;
  const node = findElement(operation, work);
  if (node === undefined) throw nothingThere(operation);
  const elements = elementsOf(node, work.types);
  const element = elements?.get(name);
  if (element === undefined) {
    const why = `\`${node.definition?.name ?? node.code}\` has no element \`${name}\`.`;
    throw unprocessable(operation.place, why + didYouMean(name, elements?.keys() ?? []), partAt(operation, 'name'));
  }
  const value = partValue(operation, element, work);
  const slot = { owner: ownerSteps(node), property: value.property, index: undefined };
  if (element.max > 1) return put(operation, work, { ...slot, index: lengthOf(work.value, slot) }, value);
  if (nodesAt(node, element, work.types).length > 0)
    throw unprocessable(operation.place, `\`${name}\` exists already: replace it.`, partAt(operation, 'name'));
  put(operation, work, slot, value);
}

function replace(operation: PathOperation, work: Work, node: Node): void {
  const slot = slotIn(operation, node);
  const { element } = node;
  if (element === undefined) throw new Error('A node with a slot has an element');
  const value = partValue(operation, element, work);
  payForPlacing(value.value ?? null, levelOf(slot), work.budget, operation.place);
  both(operation, work, slot, (record, form) => replaceAt(record, slot, value.property, form(value)));
}

function listSlot(operation: PathOperation, work: Work): { readonly slot: Slot; readonly element: ElementDefinition } {
  const { owner, element } = findList(operation, work);
  return { slot: { owner: ownerSteps(owner), property: element.name, index: undefined }, element };
}

function slotIn(operation: PathOperation, node: Node): Slot {
  if (node.parent === undefined) throw atPath(operation, 'Its path is the whole record.');
  return slotOf(node);
}

function partValue(operation: PathOperation, element: ElementDefinition, { types }: Work): PartValue {
  try {
    return valueOf(operation.value, element, types);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw unprocessable(operation.place, error.message, `${partAt(operation, 'value')}${error.element}`, 'value');
  }
}

function put(operation: PathOperation, work: Work, slot: Slot, value: PartValue): void {
  payForPlacing(value.value ?? null, levelOf(slot), work.budget, operation.place);
  both(operation, work, slot, (record, form) => place(record, slot, form(value)));
}

const levelOf = ({ owner, index }: Slot): number => owner.length + (index === undefined ? 1 : 2);

type Form = (value: PartValue) => { readonly value: unknown; readonly sibling: unknown };

/** Cost of an item of a list that changes: the list is made again. */
const costOfItem = 1 / 8;

/** Changes both forms of the record; `form` is the value in that form. */
function both(
  { place: at }: PathOperation,
  { exact, value: plain, budget }: Work,
  slot: Slot,
  change: (record: unknown, form: Form) => void,
): void {
  within(at, () => budget.spend(lengthOf(plain, slot) * costOfItem));
  const copied = (one: ExactJson | undefined): ExactJson | undefined => one && structuredClone(one);
  change(exact, ({ value, sibling }) => ({ value: copied(value), sibling: copied(sibling) }));
  change(plain, ({ value, sibling }) => ({
    value: value === undefined ? undefined : plainOf(value),
    sibling: sibling === undefined ? undefined : plainOf(sibling),
  }));
}

const outOfRange = (operation: PathOperation, name: 'index' | 'source' | 'destination', most: number): Error =>
  unprocessable(operation.place, `\`${name}\` is at most ${Math.max(most, 0)} in this list.`, partAt(operation, name));
