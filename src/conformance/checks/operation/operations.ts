import type { Context } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { checkEverything } from './everything.ts';
import { checkLastn } from './lastn.ts';
import { checkMeta } from './meta.ts';
import { checkCodeOfSystem, checkCodeOfValueSet, checkExpand, checkLookup } from './terminology.ts';

/** The operations of R4 that are tested, by their definitions; those that a server defines itself are not. */
const checks: ReadonlyMap<string, (context: Context, type: DeclaredType) => Promise<void>> = new Map([
  ['Patient-everything', checkEverything],
  ['Encounter-everything', checkEverything],
  ['Resource-meta', checkMeta],
  ['Observation-lastn', checkLastn],
  ['ValueSet-expand', checkExpand],
  ['CodeSystem-lookup', checkLookup],
  ['ValueSet-validate-code', checkCodeOfValueSet],
  ['CodeSystem-validate-code', checkCodeOfSystem],
]);

/**
 * The declared operations of a type that change nothing, by GET. A refusal is open: a server may require POST, other
 * parameters, or definitions that it has. https://hl7.org/fhir/R4/operations.html
 */
export async function checkOperations(context: Context, type: DeclaredType): Promise<void> {
  for (const { definition } of type.operations) {
    const id = /^http:\/\/hl7\.org\/fhir\/OperationDefinition\/(.+)$/.exec(definition)?.[1];
    const check = id === undefined ? undefined : checks.get(id);
    await check?.(context, type);
  }
}
