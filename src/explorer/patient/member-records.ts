import { parseJson } from '../../fhir/json.ts';
import { asObject, asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { withOnly } from '../../indexing/only.ts';
import type { Model, ResourceType } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { matches } from '../../search/matches.ts';
import { fewAtOnce } from '../../store/record/few-at-once.ts';
import type { Visit } from '../shell/visit.ts';
import type { Member } from './members.ts';
import { measuredOf } from './series.ts';

/** The newest records of a type that belong to the record with the compartment. */
export interface FoundRecords {
  readonly member: Member;
  readonly records: readonly JsonObject[];
  /** The search that finds all of them. */
  readonly search: string;
}

/** The records of all members, and the digits of their numbers (fhir/json.ts). */
export interface FoundMembers {
  readonly found: readonly FoundRecords[];
  readonly decimals: ReadonlyMap<object, Readonly<Record<string, string>>>;
}

/** Searches at a time; others wait for their threads too. */
const atOnce = 4;

/** The newest records of a type on the page; more of types with measured values. */
const mostRecords = { other: 60, measured: 200 };

/** Records that a search of several types returns at once. */
const mostOfAll = 200;

/**
 * Reads the newest records of each member that belong to `own`, such as `Patient/p1`. Where searches of the compartment
 * and of the system are declared, one search finds many types, and a type is searched by itself only if the page was
 * too short for it: most of many types have no records. Elsewhere each type is searched. Throws FhirError.
 */
export async function readMembers(visit: Visit, own: string, members: readonly Member[]): Promise<FoundMembers> {
  const decimals = new Map<object, Readonly<Record<string, string>>>();
  const found = new Map<Member, readonly JsonObject[]>();
  const read = async (
    target: string,
  ): Promise<{ readonly records: readonly JsonObject[]; readonly isLast: boolean }> => {
    const parsed = parseJson((await visit.ask(target)).text);
    for (const [owner, digits] of parsed.decimals) decimals.set(owner, digits);
    const { entry, link } = asObject(parsed.value);
    const records = objectsOf(entry).flatMap(({ resource }) => (isObject(resource) ? [resource] : []));
    return { records, isLast: !objectsOf(link).some(({ relation }) => relation === 'next') };
  };

  const alone: Member[] = [];
  for (const group of groupsOf(visit.engine.model, own, members)) {
    let left = group.members;
    while (left.length > 1) {
      const types = left.map(({ type }) => type.name).join(',');
      const { records, isLast } = await read(`${group.target}_type=${types}&_count=${mostOfAll}`);
      const byType = Map.groupBy(records, ({ resourceType }) => asString(resourceType) ?? '');
      const seen = isLast ? left : left.filter(({ type }) => byType.has(type.name));
      for (const member of seen) {
        const ofType = (byType.get(member.type.name) ?? []).filter(one => belongs(visit, one, member, own));
        if (isLast || ofType.length >= countOf(member.type)) found.set(member, ofType.slice(0, countOf(member.type)));
        else alone.push(member);
      }
      const unseen = left.filter(one => !seen.includes(one));
      if (unseen.length === left.length) break; // an empty page that is not the last one
      left = unseen;
    }
    alone.push(...left);
  }
  await fewAtOnce(alone, atOnce, async member => {
    const { records } = await read(`${searchOf(member, own)}&_count=${countOf(member.type)}`);
    found.set(
      member,
      records.filter(one => one['resourceType'] === member.type.name),
    );
  });
  return {
    found: members.map(member => ({ member, search: searchOf(member, own), records: found.get(member) ?? [] })),
    decimals,
  };
}

/** Types that one search finds together, to which `_type` is added. */
interface Group {
  readonly members: readonly Member[];
  readonly target: string;
}

/** The types of the compartment, and others by parameter; each type is alone where no such search is declared. */
function groupsOf(
  { searchedCompartments, systemInteractions }: Model,
  own: string,
  members: readonly Member[],
): readonly Group[] {
  const [compartment = ''] = own.split('/');
  const isWithin = ({ type }: Member): boolean =>
    searchedCompartments.has(compartment) && type.compartmentLinks.has(compartment);
  const others = Map.groupBy(
    members.filter(member => !isWithin(member)),
    ({ by, type }) => (systemInteractions.has('search-system') ? by : type.name),
  );
  return [
    { members: members.filter(isWithin), target: `${own}/*?` },
    ...[...others.values()].map(of => ({ members: of, target: `?${of[0]?.by ?? ''}=${encodeURIComponent(own)}&` })),
  ];
}

/** All records of the type that belong to the record, newest first. */
function searchOf({ type, by, sort }: Member, own: string): string {
  const order = sort === undefined ? [] : [['_sort', sort] as const];
  return `${type.name}?${new URLSearchParams([[by, own], ...order].map(pair => [...pair])).toString()}`;
}

const countOf = (type: ResourceType): number =>
  Math.min(type.pageSize.max, measuredOf(type.definition).length > 0 ? mostRecords.measured : mostRecords.other);

/**
 * Whether the parameter of the member links the record to the compartment: a compartment has more, such as observations
 * that a patient made of another person.
 */
function belongs({ engine, place }: Visit, resource: JsonObject, { type, by }: Member, own: string): boolean {
  const [compartment = '', id = ''] = own.split('/');
  const param = type.parameters.get(by);
  const links = type.compartmentLinks.get(compartment) ?? [];
  if (param === undefined || links.every(({ code }) => code === by)) return true;
  const test = { kind: 'reference', type: compartment, id, base: place?.base ?? '' } as const;
  const query: Query = { kind: 'param', param, test };
  const where = { id: place?.partition.id ?? '', zone: 'UTC' }; // which references do not depend on
  const entries = engine.extract(withOnly(type, [param]), '', where, { value: resource });
  return matches(query, { id: asString(resource['id']) ?? '', lastUpdated: 0, entries });
}
