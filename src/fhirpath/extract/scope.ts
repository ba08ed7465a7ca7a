import type { TypeDefinitions } from '../../model/element.ts';
import type { Choose, Receive, ResultType } from '../result-type.ts';
import type { Expression } from '../syntax.ts';

/** What the parts of one expression share while it is compiled, and the resource while it runs. */
export interface Scope {
  /** path.ts; criteria within a path contain paths again. */
  readonly compilePath: (tree: Expression, type: ResultType, scope: Scope, choose: Choose) => Receive | undefined;
  /** The expression's text, for errors. */
  readonly text: string;
  readonly definitions: TypeDefinitions;
  /** The type of the whole resource, which `%resource` yields. */
  readonly root: ResultType;
  /** The resource that is being read. */
  resource: object;
  /** Elements that some type in question has, and those that one lacks: what no type has is a mistake. */
  readonly found: Set<Expression>;
  readonly missing: Map<Expression, { readonly name: string; readonly types: ResultType[] }>;
}

/** The expression is FHIRPath, but of a shape that only fhirpath.js evaluates. */
export class NeedsInterpreter extends Error {}
