import type { Query } from '../../search/ast.ts';
import { print } from '../../search/print.ts';
import { type Conditional, queryOf } from '../port/conditional.ts';
import type { Put, Requirement, WriteResult } from '../port/records.ts';
import { RequirementFailed, SeveralMatch } from '../port/errors.ts';
import type { Core, PartitionInfo, Step } from './core.ts';
import { findMatches } from './count.ts';
import { readCurrent } from './current.ts';
import { reservationId } from './keyed.ts';
import { declared } from './prepare.ts';
import { findReferring } from './referring.ts';

/** The change if nothing matches: its id must be free. */
export const unconditional = (change: Conditional): Put => ({ ...change, precondition: { is: 'absent' } });

/** Throws `RequirementFailed` if one does not hold, and the errors of a search. */
export async function requireAll(
  core: Core,
  partition: PartitionInfo,
  requires: readonly Requirement[],
  manner: Step = {},
): Promise<void> {
  for (const requirement of requires) {
    const { type } = requirement;
    if (requirement.is === 'there') {
      const current = await readCurrent(core, partition.p, type, requirement.id, manner);
      if (current?.text === undefined) throw new RequirementFailed(type);
    } else if (requirement.is === 'unreferred') {
      const found = await findReferring(core, partition, requirement, { except: requirement.except, step: manner });
      if (found.length > 0) throw new RequirementFailed(type);
    } else {
      const found = await findMatches(core, partition, declared(core, type), requirement.query, 1, manner);
      if (found.length > 0) throw new RequirementFailed(type);
    }
  }
}

/** The result if one matches. Throws `SeveralMatch`, `RequirementFailed`, and the errors of a search. */
export async function matchOf(
  core: Core,
  partition: PartitionInfo,
  { type, precondition }: Conditional,
  manner: Step = {},
): Promise<WriteResult | undefined> {
  for (;;) {
    const [id, other] = await findMatches(core, partition, declared(core, type), queryOf(precondition), 2, manner);
    if (id !== undefined && precondition.except !== undefined) throw new RequirementFailed(type);
    if (other !== undefined) throw new SeveralMatch(type);
    if (id === undefined) return undefined;
    const current = await readCurrent(core, partition.p, type, id, manner);
    if (current?.text === undefined) continue;
    return { outcome: 'matched', id, version: current.version, lastUpdated: current.updated };
  }
}

/** `_id` of the reservation of criteria. */
export function matchReservation(p: string, { type, precondition }: Conditional): string {
  return reservationId(p, 'match', type, print(inOneOrder(precondition.query)));
}

/** The query with its parts in one order. */
function inOneOrder(query: Query): Query {
  if (query.kind === 'not') return { ...query, of: inOneOrder(query.of) };
  if (query.kind !== 'and' && query.kind !== 'or') return query;
  const parts = query.of.map(inOneOrder).map(part => [print(part), part] as const);
  return { ...query, of: parts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, part]) => part) };
}
