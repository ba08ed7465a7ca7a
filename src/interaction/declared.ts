import type { InteractionCode, TypeInteraction } from '../fhir/interaction.ts';
import type { Model, ResourceType } from '../model/model.ts';
import { operationCallOf } from '../model/operation-call.ts';

/** An interaction on a type or on the whole system, before any parameter is parsed. */
export interface RequestedInteraction {
  readonly interaction: InteractionCode;
  readonly resourceType?: string | undefined;
  readonly id?: string | undefined;
  /** The compartment that is searched. */
  readonly compartment?: { readonly type: string } | undefined;
  /** The code of the operation, if it is one. */
  readonly operation?: string | undefined;
}

/**
 * True if the definitions declare the interaction. Update, patch and delete without an id are the conditional forms,
 * which are declared separately.
 * https://hl7.org/fhir/R4/capabilitystatement-definitions.html#CapabilityStatement.rest.resource.interaction
 */
export function isDeclared(model: Model, asked: RequestedInteraction): boolean {
  if (asked.interaction === 'capabilities') return true;
  if (asked.compartment !== undefined && !model.searchedCompartments.has(asked.compartment.type)) return false;
  if (asked.resourceType === undefined && asked.compartment !== undefined) return true;
  if (asked.interaction === 'operation') return operationCallOf(model, asked) !== undefined;
  if (asked.resourceType === undefined) return model.systemInteractions.has(asked.interaction);
  const type = model.types.get(asked.resourceType);
  if (asked.compartment !== undefined && type?.compartmentLinks.has(asked.compartment.type) !== true) return false;
  // a type level one
  if (type === undefined || !type.interactions.has(asked.interaction as TypeInteraction)) return false;
  if (asked.id !== undefined) return true;
  if (asked.interaction === 'update' || asked.interaction === 'patch') return type.conditionalUpdate;
  return asked.interaction !== 'delete' || type.conditionalDelete !== 'not-supported';
}

/** The type of a request; dispatch rejects undeclared ones. */
export function declaredType(model: Model, request: { readonly resourceType?: string | undefined }): ResourceType {
  const type = model.types.get(request.resourceType ?? '');
  if (type === undefined) throw new Error('The request is not about a declared type');
  return type;
}
