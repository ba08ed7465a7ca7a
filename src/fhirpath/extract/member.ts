import { childType, choiceByProperty, isA } from '../result-type.ts';
import type { ResultType } from '../result-type.ts';
import { NeedsInterpreter } from './scope.ts';
import type { Choose, Receive, Scope } from './scope.ts';
import type { Expression } from '../syntax.ts';

type Member = Expression & { kind: 'member' };

/**
 * A name at the beginning of a path: an element of `type`, or a type, which keeps the value if it has that type and
 * drops it otherwise. https://hl7.org/fhirpath/N1/#path-selection
 */
export function compileMember(tree: Member, type: ResultType, scope: Scope, choose: Choose): Receive | undefined {
  const { name } = tree;
  if (type.definition?.elements.has(name) !== true && /^[A-Z]/.test(name)) {
    if (isA(type.code, name, scope.definitions)) return choose(type);
    if (scope.definitions.get(name) !== undefined) return undefined;
  }
  return compileMemberOf(tree, type, scope, choose);
}

/** A step to an element: its values, one by one, without null, which represents a primitive with extensions only. */
export function compileMemberOf(tree: Member, type: ResultType, scope: Scope, choose: Choose): Receive | undefined {
  const { definition } = type;
  if (definition === undefined || (definition.kind === 'resource' && definition.abstract)) throw new NeedsInterpreter();
  const element = definition.elements.get(tree.name) ?? choiceByProperty(definition, tree.name);
  if (element === undefined) return undefined;
  // Children of a primitive are beside it, in `_name`; JSON names of choices are not FHIRPath.
  if (definition.kind === 'primitive-type' || element.name !== tree.name) throw new NeedsInterpreter();
  const branches: Branch[] = [];
  for (const one of element.types) {
    const next = choose(childType(type, element, one, scope.definitions));
    if (next !== undefined) branches.push({ property: one.property, next });
  }
  return step(branches);
}

interface Branch {
  readonly property: string;
  readonly next: Receive;
}

/** From this number of types on, iterating over the existing properties is faster than looking each one up. */
const manyTypes = 6;

function step(branches: readonly Branch[]): Receive | undefined {
  const [first, ...others] = branches;
  if (first === undefined) return undefined;
  const { property, next } = first;
  if (others.length === 0) return value => read(value, property, next);
  if (branches.length < manyTypes) {
    return value => {
      for (const branch of branches) read(value, branch.property, branch.next);
    };
  }
  const byProperty = new Map(branches.map(branch => [branch.property, branch.next]));
  return value => {
    if (typeof value !== 'object' || value === null) return;
    for (const name in value) {
      const found = byProperty.get(name);
      if (found !== undefined) read(value, name, found);
    }
  };
}

function read(value: unknown, property: string, next: Receive): void {
  if (typeof value !== 'object' || value === null) return;
  const found = (value as Record<string, unknown>)[property]; // an object of JSON
  if (found === undefined || found === null) return;
  if (!Array.isArray(found)) {
    next(found, value, property);
    return;
  }
  for (let index = 0; index < found.length; index++) {
    const item: unknown = found[index];
    if (item !== undefined && item !== null) next(item, found, index);
  }
}
