import { createFindSystem } from './concepts.ts';
import type { FindSystem } from './concepts.ts';
import { createExpansions } from './expansions.ts';
import type { Expansions } from './expansion.ts';
import type { TerminologySource } from './source.ts';
import { createTerminology } from './terminology.ts';
import type { Terminology } from './terminology.ts';

/** All that is answered from one source: bindings, sets of codes in searches, operations. */
export interface TerminologyService {
  readonly source: TerminologySource;
  readonly system: FindSystem;
  /** For bindings. */
  readonly bindings: Terminology;
  /** For searches. */
  readonly expansions: Expansions;
}

const services = new WeakMap<TerminologySource, TerminologyService>();

/** The terminology service of a source, always the same one for the same source. */
export function terminologyOf(source: TerminologySource): TerminologyService {
  const known = services.get(source);
  if (known !== undefined) return known;
  const made = {
    source,
    system: createFindSystem(source),
    bindings: createTerminology(source),
    expansions: createExpansions(source),
  };
  services.set(source, made);
  return made;
}
