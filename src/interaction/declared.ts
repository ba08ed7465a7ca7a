import type { InteractionCode, TypeInteraction } from '../fhir/interaction.ts';
import type { Model, ResourceType } from '../model/model.ts';

/** What is asked of a type or of the whole system, before any parameter is read. */
export interface Asked {
  readonly interaction: InteractionCode;
  readonly resourceType?: string;
  readonly id?: string;
  /** The code of the operation, where it is one. */
  readonly operation?: string;
}

/**
 * True where the definitions declare the interaction. Update, patch and delete without an id are the conditional forms, which
 * are declared apart. https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.interaction
 */
export function isDeclared(model: Model, asked: Asked): boolean {
  if (asked.interaction === 'capabilities') return true;
  if (asked.resourceType === undefined) return model.systemInteractions.has(asked.interaction);
  const type = model.types.get(asked.resourceType);
  if (asked.interaction === 'operation') {
    const operation = type?.operations.get(asked.operation ?? '');
    return operation?.[asked.id === undefined ? 'type' : 'instance'] === true;
  }
  if (type === undefined || !type.interactions.has(asked.interaction as TypeInteraction)) return false; // a type level one
  if (asked.id !== undefined) return true;
  if (asked.interaction === 'update' || asked.interaction === 'patch') return type.conditionalUpdate;
  return asked.interaction !== 'delete' || type.conditionalDelete !== 'not-supported';
}

/** The type that a request is about; dispatch lets no other through. */
export function declaredType(model: Model, request: { readonly resourceType?: string }): ResourceType {
  const type = model.types.get(request.resourceType ?? '');
  if (type === undefined) throw new Error('The request is not about a declared type');
  return type;
}
