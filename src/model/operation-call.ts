import type { Model, Operation, OperationCall } from './model.ts';

/** A call of an operation: on the whole system, on a type, or with an id on an instance. */
interface Call {
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
  /** The code. */
  readonly operation?: string | undefined;
}

/** The declared operation of a call, whatever its level; undefined if none is declared. */
export function operationOf(
  { types, systemOperations }: Pick<Model, 'types' | 'systemOperations'>,
  { resourceType, operation = '' }: Omit<Call, 'id'>,
): Operation | undefined {
  return resourceType === undefined
    ? systemOperations.get(operation)
    : types.get(resourceType)?.operations.get(operation);
}

/** How the operation is called on the level of a call; undefined if it is not declared there. */
export function operationCallOf(
  model: Pick<Model, 'types' | 'systemOperations'>,
  call: Call,
): OperationCall | undefined {
  const level = call.resourceType === undefined ? 'system' : call.id === undefined ? 'type' : 'instance';
  return operationOf(model, call)?.levels[level];
}

/** Whether a call has a parameter `_format` of its own: the operation decides the form of its answer. */
export const hasOwnFormat = (
  model: Pick<Model, 'types' | 'systemOperations'>,
  { operation, resourceType }: Omit<Call, 'id'>,
): boolean =>
  operation !== undefined && operationOf(model, { operation, resourceType })?.parameters.has('_format') === true;

/** Whether an operation of the interface starts jobs. */
export function hasJobs(model: Pick<Model, 'types' | 'systemOperations'>): boolean {
  const known = withJobs.get(model);
  if (known !== undefined) return known;
  const operations = [model.systemOperations, ...Array.from(model.types.values(), type => type.operations)];
  const found = operations.some(of =>
    of.values().some(({ levels }) => Object.values(levels).some(({ startsJob }) => startsJob)),
  );
  withJobs.set(model, found);
  return found;
}

const withJobs = new WeakMap<object, boolean>();
