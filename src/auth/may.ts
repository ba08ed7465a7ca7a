import type { InteractionCode } from '../fhir/interaction.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Access, Letter } from './access.ts';
import { scopeInsufficient } from './refusals.ts';
import { parseScope } from './scope.ts';

/** What is asked of a type or of the whole system. */
export interface Asked {
  readonly interaction: InteractionCode;
  readonly resourceType?: string;
}

/**
 * Lets through what the scopes of the caller allow on the type; what of it he may see, restrict.ts says. What is about the whole
 * system is let through, since its parts are decided one by one. Throws FhirError 403 with the scopes that would do; `realm` is
 * the base URL of the partition. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html
 */
export function requireScope(access: Access, model: Model, { interaction, resourceType }: Asked, realm: string): void {
  const letter = letterOf(interaction);
  if (access === 'open' || letter === undefined || resourceType === undefined) return;
  if (access.restrictions.get(resourceType)?.[letter] !== undefined) return;
  const type = model.types.get(resourceType);
  const scopes = type === undefined ? [] : scopesFor(type, letter);
  const text =
    scopes.length === 0
      ? `No scope gives ${interaction} of ${resourceType} here.`
      : `The token has no scope for ${interaction} of ${resourceType}.`;
  throw scopeInsufficient(realm, text, scopes);
}

/** The letter that an interaction needs; undefined where its parts are asked for one by one, or it is open to all. */
function letterOf(interaction: InteractionCode): Letter | undefined {
  switch (interaction) {
    case 'read':
    case 'vread':
    case 'history-instance':
      return 'r';
    case 'search-type':
    case 'history-type':
      return 's';
    case 'create':
      return 'c';
    case 'update':
    case 'patch':
      return 'u';
    case 'delete':
      return 'd';
    case 'capabilities':
    case 'search-system':
    case 'history-system':
    case 'batch':
    case 'transaction':
      return undefined;
    default:
      return interaction satisfies never;
  }
}

/** The scopes of a type that give a letter. */
const scopesFor = ({ smartScopes }: ResourceType, letter: Letter): readonly string[] =>
  smartScopes.filter(scope => (scope === 'fhirUser' ? letter === 'r' : parseScope(scope)?.letters.includes(letter)));
