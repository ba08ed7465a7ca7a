import type { Definition } from '../../../definitions/definition.ts';
import { definitionOf } from '../../../definitions/definition.ts';
import type { Definitions } from '../../../definitions/definitions.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { Budget } from '../../../fhirpath/evaluate/environment.ts';
import { CALL_STEPS } from '../../../terminology/expansion.ts';
import { createTerminology } from '../../../terminology/terminology.ts';
import type { Terminology } from '../../../terminology/terminology.ts';

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
