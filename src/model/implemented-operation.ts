import type { OperationLevel, OperationScopes } from './model.ts';

/** The properties of an implementation on which the compiled definitions depend. */
export interface ImplementedOperation {
  /** The code of the OperationDefinitions that it implements. */
  readonly code: string;
  /** The scopes of each level that it implements. */
  readonly scopes: Readonly<Partial<Record<OperationLevel, OperationScopes>>>;
  /** The parameters that it evaluates; undefined for all. */
  readonly parameters?: readonly string[];
  /** Parameters whose resources it checks itself, since R4 does not have their types; parts as `subject.resource`. */
  readonly foreign?: readonly string[];
  /** True if references may be sent in the URL, as texts. */
  readonly referencesInUrl?: boolean;
  /** The levels whose calls always have a body, although no parameter is required. */
  readonly withBody?: readonly OperationLevel[];
  /** The search parameters that a type with the operation must offer. */
  readonly searchParameters?: readonly string[];
  /** True if it starts a job, which is asked for afterwards: not in a Bundle. */
  readonly startsJob?: boolean;
  /** True if it returns the compartments of the records on which it is called. */
  readonly ofCompartment?: boolean;
}

/** The implemented operations by code. */
export type ImplementedOperations = ReadonlyMap<string, ImplementedOperation>;
