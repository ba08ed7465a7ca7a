import type { DefinitionFile } from './source.ts';

/** Definitions as they were read: with the R4 pack of the program, all that determines the interface. */
export interface DefinitionSet {
  /** `r4` replaces the shipped folder `capability` by what declareAll makes. */
  readonly interface: 'shipped' | 'r4';
  readonly files: readonly DefinitionFile[];
}
