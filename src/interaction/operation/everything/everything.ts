import { callerOf } from '../../../auth/access.ts';
import { restriction } from '../../../auth/restrict.ts';
import type { ResourceType } from '../../../model/model.ts';
import { searchUrl, searchset } from '../../../search/bundle.ts';
import { parsePages } from '../../../search/parse/page.ts';
import type { QueryPair } from '../../../search/request.ts';
import type { Partition } from '../../../store/port/partitions.ts';
import { declaredType } from '../../declared.ts';
import type { StoredVersion } from '../../../store/port/records.ts';
import { readInRoom } from '../../answer-room.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction.ts';
import { refusePending } from '../../pending.ts';
import { refuseCostly, withDeadline } from '../../search/deadline.ts';
import type { Included } from '../../search/include.ts';
import { anyOrder, indexedBy, localId } from '../../search/joined.ts';
import type { Includer, Place } from '../../search/joined.ts';
import { nextLink } from '../../search/search.ts';
import { findVisible } from '../../read.ts';
import { readArguments } from '../arguments.ts';
import type { Position } from '../../../search/ast.ts';
import { badPageToken } from '../../../search/cursor.ts';
import { positionOf } from '../../../search/sort.ts';
import { fitting, isFull } from '../../../store/port/pages.ts';
import { findPage } from '../../search/find.ts';
import { ofUsedTypes } from '../../search/used-types.ts';
import { patientsOf, referencedBy } from './referenced.ts';
import { pairsOf, parseEverything } from './request.ts';
import type { EverythingRequest } from './request.ts';
import { stepsOf } from './steps.ts';
import type { Compartments, Step } from './steps.ts';

/**
 * `$everything`: a record, or all of a type, with the records of its compartment and those that they refer to, in
 * pages. Which types have a compartment is defined by the loaded CompartmentDefinitions.
 * https://hl7.org/fhir/R4/patient-operation-everything.html,
 * https://hl7.org/fhir/R4/encounter-operation-everything.html
 */
export const everything: Interaction = async (engine, request, partition) => {
  const { model, cursors } = engine;
  const { base, access, id } = request;
  const type = declaredType(model, request);
  const path = [type.name, id, '$everything'].filter(part => part !== undefined).join('/');
  const paging = { cursors, partition: partition.id, caller: callerOf(access) };
  const zone = partition.settings.zone;
  const parse = (pairs: readonly QueryPair[], now: number) => [parseEverything(pairs, { model, type, zone, now })];
  const isPage = request.parameters.some(([name]) => name === '_page_token');
  const pairs = isPage ? request.parameters : pairsOf(readArguments(engine, request));
  const [asked] = await parsePages({ path, parse }, pairs, engine.now(), paging);
  if (asked === undefined) throw new Error('A call has one request');
  const read = () => find(engine, request, partition, { of: { type, id }, asked });
  const { page, beside } = await readInRoom(request.room, { count: asked.count, others: true }, read);
  const shown = page.versions.filter(record => asked.names?.has(record.type) !== false);
  const body = searchset({
    self: searchUrl(base, path, asked.self),
    next: page.next && (await nextLink(engine, base, path, asked, page.next, paging)),
    place: `${base}/${type.name}/`,
    entries: shown.map(record => entryOf(record, base)),
    included: beside.records.map(record => entryOf(record, base)),
    warnings: beside.warnings,
  });
  return { status: 200, body, records: [...shown, ...beside.records] };
};

const entryOf = ({ type, id, text = '' }: StoredVersion, base: string) => ({ id, text, place: `${base}/${type}/` });

interface AskedEverything {
  readonly of: Compartments;
  readonly asked: EverythingRequest;
}

/** The records of a page, and those that they refer to. Throws FhirError 404 and 410 as a read of the record. */
async function find(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { of, asked }: AskedEverything,
): Promise<{ readonly page: WalkedPage; readonly beside: Included }> {
  const { model, extract, store } = engine;
  const { base, access } = request;
  const { type, id } = of;
  const own = id === undefined ? undefined : await findVisible(engine, type, { partition, access, id });
  const steps = stepsOf(engine, { of, access, base, zone: partition.settings.zone }, asked);
  const limited = withDeadline(partition, engine.searchDeadline);
  const includer: Includer = { partition: limited, extract, base, model, access };
  const seesAll = (one: ResourceType): boolean => restriction(access, one, 's').kind === 'all';
  const ready = (step: Step): Promise<void> =>
    refusePending(store.indexes, partition.id, { ...step, sort: anyOrder, count: asked.count }, seesAll);
  const page = await refuseCostly(walk(steps, asked, includer, ready));
  const patients = own === undefined ? undefined : new Set(patientsOf(own, includer));
  const beside = await refuseCostly(referencedBy(page.versions, steps, asked, patients, includer));
  return { page, beside };
}

interface WalkedPage {
  readonly versions: readonly StoredVersion[];
  /** Position of the last version, if there are more. */
  readonly next: Position | undefined;
}

/**
 * A page of the records of the steps, one step after the other, in the order of ids: nothing that is written meanwhile
 * moves a record to another page. `ready` is called before a step is read. Throws FhirError 400 for a position in a
 * step that there is not.
 */
async function walk(
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
