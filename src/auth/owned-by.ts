import { defaultCompartment } from '../model/access-rules.ts';
import type { Model, ResourceType } from '../model/model.ts';
import type { Query } from '../search/ast.ts';
import type { AccessPlace } from './criteria.ts';

/**
 * The resources of a type that belong to a patient: by the parameters that its `access-link` names, or the patient
 * itself. `base` is that of the partition. Undefined if resources of the type belong to no patient.
 */
export function ownedBy(
  { model, base }: Pick<AccessPlace, 'model' | 'base'>,
  type: ResourceType,
  patient: string,
): Query | undefined {
  const owner = ownerType(model);
  if (type.name === owner) return { kind: 'id', anyOf: [patient] };
  const links = type.accessLinks.filter(({ compartment }) => compartment === owner);
  const of = links.flatMap(({ parameter }) => type.indexed.get(parameter) ?? []);
  return owner === undefined || of.length === 0
    ? undefined
    : { kind: 'owner', compartment: owner, id: patient, base, of };
}

/** The type of the owners of records; undefined if no such compartment is loaded. */
export const ownerType = (model: Model): string | undefined =>
  [...model.compartments.values()].find(({ url }) => url === defaultCompartment)?.code;
