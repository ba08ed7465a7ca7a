import { Delegated, EvaluationError, Undecided } from '../../fhirpath/evaluate/errors.ts';
import type { Budget, Environment } from '../../fhirpath/evaluate/environment.ts';
import { compileTree } from '../../fhirpath/evaluate/compile.ts';
import { nodesAt, rootNode } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import { parseExpression } from '../../fhirpath/parse.ts';
import { inferTypes } from '../../fhirpath/infer.ts';
import { ExpressionError } from '../../fhirpath/syntax.ts';
import type { Expression } from '../../fhirpath/syntax.ts';
import { asObject, asString, isObject } from '../../fhir/json-object.ts';
import type { ElementDefinition, TypeDefinition, TypeDefinitions } from '../../model/element.ts';
import { unprocessable } from './failure.ts';
import { within } from './limits.ts';
import type { PathOperation } from './parameters.ts';

/** The record on which paths are evaluated. */
export interface PatchedRecord {
  /** Changed by the operations. */
  readonly value: unknown;
  readonly definition: TypeDefinition;
  readonly types: TypeDefinitions;
  readonly budget: Budget;
}

/** A list of an element, which may be empty. */
export interface FoundList {
  readonly owner: Node;
  readonly element: ElementDefinition;
}

/**
 * The one element at the path of an operation; undefined if there is none. Throws FhirError 422 for several, and for a
 * path that is not evaluated. https://hl7.org/fhir/R4/fhirpatch.html
 */
export function findElement(operation: PathOperation, record: PatchedRecord): Node | undefined {
  return oneOf(operation, evaluate(operation, parse(operation, record), record));
}

/** The list whose element the path names last, such as `Patient.contact[0].telecom`. Throws as `findElement`. */
export function findList(operation: PathOperation, record: PatchedRecord): FoundList {
  const tree = parse(operation, record);
  const of = tree.kind === 'member' ? (tree.of ?? ({ kind: 'this', at: 0 } as const)) : undefined;
  if (tree.kind !== 'member' || of === undefined)
    throw atPath(operation, 'The path of a list ends in its name, such as `Type.name`.');
  const owner = oneOf(operation, evaluate(operation, of, record));
  if (owner === undefined) throw nothingThere(operation);
  const element = elementsOf(owner, record.types)?.get(tree.name);
  if (element === undefined || element.max <= 1) throw atPath(operation, `\`${tree.name}\` is not a list.`);
  return { owner, element };
}

/** The children that an element may have; those of a primitive are in its sibling. */
export const elementsOf = ({ definition }: Node, types: TypeDefinitions): TypeDefinition['elements'] | undefined =>
  (definition?.kind === 'primitive-type' ? types.get('Element') : definition)?.elements;

export const nothingThere = (operation: PathOperation): Error =>
  unprocessable(operation.place, 'The record has nothing at its path.', partAt(operation, 'path'), 'not-found');

export const atPath = (operation: PathOperation, why: string): Error =>
  unprocessable(operation.place, why, partAt(operation, 'path'));

/** The place of a part of an operation, after that of the operation. */
export const partAt = ({ parts }: PathOperation, name: string): string => `.part[${parts.get(name)}]`;

function parse(operation: PathOperation, { definition, types, budget }: PatchedRecord): Expression {
  const { path, place } = operation;
  within(place, () => budget.spend(path.length));
  try {
    const tree = parseExpression(path);
    const costly = namesIn(tree).find(name => refused.has(name));
    if (costly !== undefined) throw atPath(operation, `\`${costly}()\` is not evaluated in the path of a patch.`);
    const context = [{ code: definition.name, definition }];
    const [problem] = inferTypes(tree, path, types, { context, resource: context }).problems;
    if (problem !== undefined) throw atPath(operation, problem.message);
    return tree;
  } catch (error) {
    throw error instanceof ExpressionError ? atPath(operation, `${error.problem}.`) : error;
  }
}

/** Functions that may take long on an expression or a text of a client. */
const refused: ReadonlySet<string> = new Set(['repeat', 'matches', 'matchesFull', 'replaceMatches']);

function namesIn(tree: unknown): readonly string[] {
  if (Array.isArray(tree)) return tree.flatMap(namesIn);
  if (!isObject(tree)) return [];
  const own = tree['kind'] === 'call' ? (asString(tree['name']) ?? '') : undefined;
  return [...(own === undefined ? [] : [own]), ...Object.values(tree).flatMap(namesIn)];
}

function evaluate(operation: PathOperation, tree: Expression, record: PatchedRecord): readonly Node[] {
  const root = rootNode(record.value, record.definition);
  return within(operation.place, () => {
    try {
      const found = compileTree(tree, operation.path, record.types)([root], environmentOf(root, record));
      const nodes = found.filter(item => typeof item === 'object' && item.kind === 'node');
      if (nodes.length < found.length) throw atPath(operation, 'The path computes a value, which is no element.');
      return nodes;
    } catch (error) {
      if (error instanceof Delegated) throw atPath(operation, `The server does not evaluate ${error.message} here.`);
      if (error instanceof Undecided) throw atPath(operation, `The path is undecided: ${error.message} is missing.`);
      if (error instanceof EvaluationError) throw atPath(operation, `The path has no value: ${error.message}.`);
      throw error;
    }
  });
}

/** `resolve()` leads to contained resources only. https://hl7.org/fhir/R4/fhirpatch.html */
function environmentOf(root: Node, { types, budget }: PatchedRecord): Environment {
  const resolve = (reference: Node): Node | undefined => {
    const text = asString(reference.value) ?? asString(asObject(reference.value)['reference']);
    const element = root.definition?.elements.get('contained');
    if (element === undefined || text?.startsWith('#') !== true) return undefined;
    return nodesAt(root, element, types).find(({ value }) => asObject(value)['id'] === text.slice(1));
  };
  const undecided = (): undefined => undefined;
  return {
    types,
    resource: root,
    rootResource: root,
    context: root,
    budget,
    resolve,
    memberOf: undecided,
    conformsTo: undecided,
    this: root,
    index: 0,
    total: [],
  };
}

function oneOf(operation: PathOperation, nodes: readonly Node[]): Node | undefined {
  const [first, second] = nodes;
  if (second !== undefined)
    throw unprocessable(
      operation.place,
      'Several elements are at its path: name one, such as with `[0]` or `where()`.',
      partAt(operation, 'path'),
      'multiple-matches',
    );
  return first;
}
