import type { Query } from './ast.ts';

export type OwnerQuery = Extract<Query, { kind: 'owner' }>;

/** The equivalent query of parameters, for records with entries and without owners. */
export function linksOf({ compartment: type, id, base, of }: OwnerQuery): Query {
  const links = of.map((param): Query => ({ kind: 'param', param, test: { kind: 'reference', type, id, base } }));
  const [only] = links;
  return only !== undefined && links.length === 1 ? only : { kind: 'or', of: links };
}
