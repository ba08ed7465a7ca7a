import type { TypeDefinitions } from '../../model/element.ts';
import type { ResultType } from '../result-type.ts';
import type { Expression } from '../syntax.ts';

/** Receives one result; a primitive is at `parent[key]`. */
export type Receive = (value: unknown, parent: object, key: string | number) => void;

/**
 * Returns the receiver of the values of a type; undefined if they are not needed, so that they are not even looked up.
 */
export type Choose = (type: ResultType) => Receive | undefined;

/** The shared state of the parts of an expression at compile time, and the resource at run time. */
export interface Scope {
  /** path.ts; criteria within a path contain paths again. */
  readonly compilePath: (tree: Expression, type: ResultType, scope: Scope, choose: Choose) => Receive | undefined;
  /** The expression's text, for errors. */
  readonly text: string;
  readonly definitions: TypeDefinitions;
  /** The type of the whole resource, the value of `%resource`. */
  readonly root: ResultType;
  /** The current resource. */
  resource: object;
}

/** Valid FHIRPath of a form that only fhirpath.js evaluates. */
export class NeedsInterpreter extends Error {}
