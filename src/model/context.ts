import type { Definitions } from '../definitions/definitions.ts';
import type { Declared, ReportAt } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import type { Hierarchies } from './hierarchy.ts';
import type { Compartment } from './model.ts';
import type { ImplementedOperations } from './implemented-operation.ts';
import type { ParameterCompiler } from './search-parameters.ts';

/** The context in which declarations are compiled. */
export interface CompileContext {
  readonly declared: Declared;
  readonly definitions: Definitions;
  readonly types: TypeDefinitions;
  readonly compartments: ReadonlyMap<string, Compartment>;
  readonly searchedCompartments: ReadonlyMap<string, Compartment>;
  /** The compartments whose links are compiled: the searched ones, and those that operations return. */
  readonly linkedCompartments: ReadonlyMap<string, Compartment>;
  readonly parameters: ParameterCompiler;
  readonly hierarchies: Hierarchies;
  /** The implemented operations. */
  readonly operations: ImplementedOperations;
  readonly report: ReportAt;
}
