import type { ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import type { CompartmentOf } from '../interaction.ts';

/**
 * The query for the records of a type in a compartment: those that a parameter of the compartment links to it, and its
 * own resource. `base` is that of the partition. https://hl7.org/fhir/R4/compartmentdefinition.html
 */
export function compartmentQuery(type: ResourceType, { type: owner, id }: CompartmentOf, base: string): Query {
  const links = type.compartmentLinks.get(owner) ?? [];
  const of = links.map((param): Query => ({
    kind: 'param',
    param,
    test: { kind: 'reference', type: owner, id, base },
  }));
  const own: readonly Query[] = type.name === owner ? [{ kind: 'id', anyOf: [id] }] : [];
  return simplify({ kind: 'or', of: [...of, ...own] });
}
