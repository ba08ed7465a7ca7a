import type { Context } from '../../context.ts';
import type { DeclaredType } from '../../statement.ts';
import { checkEverything } from './everything.ts';
import { checkLastn } from './lastn.ts';
import { checkMeta } from './meta.ts';
// The operations of R4 that are tested, by their definitions; those that a server defines itself are not.
import definitions from './definitions.json' with { type: 'json' };
import { checkCodeOfSystem, checkCodeOfValueSet, checkExpand, checkLookup } from './terminology.ts';

const checks: Readonly<Record<keyof typeof definitions, (context: Context, type: DeclaredType) => Promise<void>>> = {
  everything: checkEverything,
  meta: checkMeta,
  lastn: checkLastn,
  expand: checkExpand,
  lookup: checkLookup,
  codeOfValueSet: checkCodeOfValueSet,
  codeOfSystem: checkCodeOfSystem,
};

/**
 * The declared operations of a type that change nothing, by GET. A refusal is open: a server may require POST, other
 * parameters, or definitions that it has. https://hl7.org/fhir/R4/operations.html
 */
export async function checkOperations(context: Context, type: DeclaredType): Promise<void> {
  for (const { definition } of type.operations) {
    const id = /^http:\/\/hl7\.org\/fhir\/OperationDefinition\/(.+)$/.exec(definition)?.[1];
    for (const [name, check] of Object.entries(checks))
      if (id !== undefined && definitions[name as keyof typeof checks].includes(id)) await check(context, type);
  }
}
