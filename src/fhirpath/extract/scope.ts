import type { TypeDefinitions } from '../../model/element.ts';
import type { Choose, Receive, ResultType } from '../result-type.ts';
import type { Expression } from '../syntax.ts';

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
  /** Elements that some possible type has, and those that one lacks: an element that no type has is a mistake. */
  readonly found: Set<Expression>;
  readonly missing: Map<Expression, { readonly name: string; readonly types: ResultType[] }>;
}

/** Valid FHIRPath of a form that only fhirpath.js evaluates. */
export class NeedsInterpreter extends Error {}
