import type { ResourceType } from '../../../model/model.ts';
import type { Position } from '../../../search/ast.ts';
import { badPageToken } from '../../../search/cursor.ts';
import { positionOf } from '../../../search/sort.ts';
import { fitting, isFull } from '../../../store/port/pages.ts';
import type { StoredVersion } from '../../../store/port/records.ts';
import { findPage } from '../../search/find.ts';
import { anyOrder, indexedBy, localId } from '../../search/joined.ts';
import type { Place } from '../../search/joined.ts';
import { ofUsedTypes } from '../../search/used-types.ts';
import type { Step } from './steps.ts';

export interface WalkedPage {
  readonly versions: readonly StoredVersion[];
  /** Position of the last version, if there are more. */
  readonly next: Position | undefined;
}

/**
 * A page of the records of the steps, one step after the other, in the order of ids: nothing that is written meanwhile
 * moves a record to another page. `ready` is called before a step is read. Throws FhirError 400 for a position in a
 * step that there is not.
 */
export async function walk(
  steps: readonly Step[],
  { count, after }: { readonly count: number; readonly after: Position | undefined },
  place: Place,
  ready: (step: Step) => Promise<void>,
): Promise<WalkedPage> {
  const first = after === undefined ? 0 : steps.findIndex(({ type }) => type.name === after.keys[0]);
  if (first === -1) throw badPageToken();
  const found: StoredVersion[] = [];
  const begun = steps[first]?.type;
  for (const step of await ofUsedTypes(steps.slice(first), place)) {
    await ready(step);
    let from = after === undefined || step.type !== begun ? undefined : positionIn(step.type, after.id);
    do {
      const limit = count + 1 - found.length;
      const { versions, next } = await findPage({ ...step, sort: anyOrder, limit, after: from }, place);
      found.push(...versions.filter(record => isLinked(record, step, place)));
      from = next;
    } while (from !== undefined && !isFull(found, count + 1));
    if (isFull(found, count + 1)) break;
  }
  const versions = found.slice(0, fitting(found, count));
  const last = found.length > versions.length ? versions.at(-1) : undefined;
  return { versions, next: last && { keys: [last.type], id: last.id } };
}

const positionIn = (type: ResourceType, id: string): Position =>
  positionOf(anyOrder, type, { id, lastUpdated: 0, entries: [] });

/** Whether one of the links names a record of the compartment's type: others name practitioners, for example. */
function isLinked(record: StoredVersion, { type, links, owner }: Step, place: Place): boolean {
  if (links.length === 0) return true;
  const entries = indexedBy(links, [record], type, place).flatMap(one => one.entries);
  return entries.some(({ value }) => value.kind === 'reference' && localId(value, owner, place) !== undefined);
}
