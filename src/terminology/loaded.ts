import { createTerminology } from './bindings.ts';
import type { Terminology } from './bindings.ts';
import type { Expansions } from './expansion.ts';
import { createExpansions } from './expansions.ts';
import { createService } from './service.ts';
import type { TerminologyService } from './service.ts';
import type { TerminologySource } from './source.ts';

/** All that is answered from the definitions of a source: bindings, sets of codes in searches, displays. */
export interface LoadedTerminology extends TerminologyService {
  /** For bindings. */
  readonly bindings: Terminology;
  /** For searches. */
  readonly expansions: Expansions;
}

const loaded = new WeakMap<TerminologySource, LoadedTerminology>();

/** The terminology of a source, always the same one for the same source. */
export function terminologyOf(source: TerminologySource): LoadedTerminology {
  const known = loaded.get(source);
  if (known !== undefined) return known;
  const service = createService(source, {});
  const made = { ...service, bindings: createTerminology(service), expansions: createExpansions(service) };
  loaded.set(source, made);
  return made;
}
