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
  const of = type.accessLinks.flatMap(({ compartment, parameter }): Query[] => {
    const param = type.indexed.get(parameter);
    if (compartment !== owner || param === undefined) return [];
    return [{ kind: 'param', param, test: { kind: 'reference', type: owner, id: patient, base } }];
  });
  return of.length === 0 ? undefined : { kind: 'or', of };
}

/** The type of the owners of records; undefined if no such compartment is loaded. */
export const ownerType = (model: Model): string | undefined =>
  [...model.compartments.values()].find(({ url }) => url === defaultCompartment)?.code;
