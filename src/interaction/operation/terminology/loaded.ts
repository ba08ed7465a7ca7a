import type { Definition } from '../../../definitions/definition.ts';
import { definitionOf } from '../../../definitions/definition.ts';
import type { Definitions } from '../../../definitions/definitions.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { Budget } from '../../../fhirpath/evaluate/environment.ts';
import { CALL_STEPS } from '../../../terminology/expansion.ts';
import { createFindSystem } from '../../../terminology/concepts.ts';
import type { FindSystem } from '../../../terminology/concepts.ts';
import { createTerminology } from '../../../validation/profile/terminology.ts';
import type { Terminology } from '../../../validation/profile/terminology.ts';

/** The loaded terminology, read at its first use. */
export interface LoadedTerminology {
  readonly system: FindSystem;
  readonly terminology: Terminology;
}

const loaded = new WeakMap<object, LoadedTerminology>();

/** Always the same for the same definitions. */
export function loadedTerminology(definitions: Pick<Definitions, 'find'>): LoadedTerminology {
  const known = loaded.get(definitions) ?? {
    system: createFindSystem(definitions),
    terminology: createTerminology(definitions),
  };
  loaded.set(definitions, known);
  return known;
}

/** The canonical of a ValueSet that is in a call. */
export const inlineUrl = 'urn:in-the-call';

/** The loaded terminology with one ValueSet more, under `inlineUrl`; it throws TooCostly for costly patterns. */
export function withInline(definitions: Pick<Definitions, 'find'>, valueSet: JsonObject): Terminology {
  const inline: Definition = definitionOf({ ...valueSet, url: inlineUrl }, { file: '', path: '', package: undefined });
  const find: Definitions['find'] = (type, canonical) =>
    type === inline.resourceType && canonical === inlineUrl ? inline : definitions.find(type, canonical);
  const budget = new Budget(CALL_STEPS);
  return createTerminology({ find }, steps => budget.spend(steps));
}
