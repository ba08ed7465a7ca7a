import type { Expression } from '../fhirpath/syntax.ts';
import type { Evaluate } from '../fhirpath/evaluate/environment.ts';
import type { TypeDefinition, TypeDefinitions } from '../model/element.ts';

/** A compiled ViewDefinition. https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html */
export interface View {
  /** The name of its table; undefined if the definition has none. */
  readonly name: string | undefined;
  readonly url: string | undefined;
  readonly version: string | undefined;
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly resourceType: string;
  /** In the order of the cells of a row. */
  readonly columns: readonly ViewColumn[];
  /** All of them must be true of a record that has rows. */
  readonly where: readonly ViewExpression[];
  readonly selects: readonly Select[];
  /** True if an expression reads the clock, so that rows change without the record. */
  readonly readsClock: boolean;
  /** True if the store keeps its rows. */
  readonly hasTable: boolean;
  readonly types: TypeDefinitions;
  readonly root: TypeDefinition;
  /** What its expressions read while they run. */
  readonly state: ViewState;
}

/** The variables of an evaluation, which is synchronous. */
export interface ViewState {
  /** `%rowIndex`. */
  rowIndex: number;
  /** The time of the run: an instant in UTC. */
  now: string;
}

/** A column of the rows. */
export interface ViewColumn {
  readonly name: string;
  /** Its FHIR type: the declared one, else the only one that the path can have; undefined if neither is known. */
  readonly type: string | undefined;
  /** True if the definition states the type. */
  readonly declared: boolean;
  readonly collection: boolean;
  /** The SQL type that the definition states by the tag `ansi/type`. */
  readonly sqlType: string | undefined;
  /** Its place in the definition: `select[0].column[1]`. */
  readonly place: string;
}

/** An expression of a view. */
export interface ViewExpression {
  readonly text: string;
  /** Its place in the definition: `select[0].column[1].path`. */
  readonly place: string;
  readonly tree: Expression;
  /** Undefined if fhirpath.js evaluates it. */
  readonly evaluate: Evaluate | undefined;
  /** The text with each constant, and `%rowIndex`, replaced by a literal, for fhirpath.js. */
  readonly literal: (rowIndex: number) => string;
}

/** A compiled select: the cells of its own columns, then those of nested selects, then those of the union. */
export interface Select {
  readonly place: string;
  readonly iteration: Iteration | undefined;
  readonly cells: readonly Cells[];
  readonly selects: readonly Select[];
  /** The branches have the same columns; empty without a union. */
  readonly union: readonly Select[];
  /** The row of `forEachOrNull` without a value: all cells. */
  readonly nulls: readonly (null | 0)[];
}

export interface Iteration {
  readonly kind: 'forEach' | 'forEachOrNull' | 'repeat';
  /** One, but for `repeat`. */
  readonly paths: readonly ViewExpression[];
}

/** The expression of a column. */
export interface Cells {
  readonly column: ViewColumn;
  readonly path: ViewExpression;
}

/** A mistake in a ViewDefinition: its place in the definition, empty for the whole, and a sentence. */
export interface ViewProblem {
  readonly path: string;
  readonly text: string;
}
