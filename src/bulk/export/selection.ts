import type { Access } from '../../auth/access.ts';
import { ownerType } from '../../auth/owned-by.ts';
import { isWithin, restriction } from '../../auth/restrict.ts';
import { withOnly } from '../../indexing/only.ts';
import type { Engine } from '../../interaction/interaction.ts';
import { localId } from '../../interaction/search/joined.ts';
import type { ResourceType, SearchParam } from '../../model/model.ts';
import type { Query } from '../../search/ast.ts';
import { isNone, simplify } from '../../search/simplify.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { parseFilter } from './parameters.ts';
import type { ExportTask } from './task.ts';

/** Decides which records an export has. The record of a deletion is its last version. */
export interface Selection {
  /** The types whose records are walked, in the order of the definitions. */
  readonly walked: readonly ResourceType[];
  /** The types whose records are added where others refer to them. */
  readonly supporting: readonly ResourceType[];
  /** True if the caller may read the record. */
  readonly isOpen: (record: StoredVersion) => boolean;
  /** True if the record belongs to the level: to one of its patients, or to the whole. */
  readonly isInside: (record: StoredVersion) => boolean;
  /** True if it is exported, whatever `_since` says. */
  readonly isSelected: (record: StoredVersion) => boolean;
}

/** `members`: the ids of the patients of the Group. */
export function createSelection(
  engine: Pick<Engine, 'model' | 'extract'>,
  task: ExportTask,
  access: Access,
  partition: Partition,
  members: ReadonlySet<string> | undefined,
): Selection {
  const { model, extract } = engine;
  const { base, level, moment } = task;
  const zone = partition.settings.zone;
  const owner = level === 'system' ? undefined : model.types.get(ownerType(model) ?? '');
  const patients = patientsIn(task, members);
  const open = new Map<string, Query>();
  const filters = new Map<string, Query>();
  const types = task.types.flatMap(name => model.types.get(name) ?? []);
  for (const type of types) {
    const searches = task.filters[type.name] ?? [];
    const of = searches.map(search => parseFilter(engine, { base, zone, now: moment }, type, search));
    if (of.length > 0) filters.set(type.name, simplify({ kind: 'or', of }));
  }
  const rule = (type: ResourceType): Query => {
    const found = open.get(type.name) ?? restriction(access, type, 'r');
    open.set(type.name, found);
    return found;
  };
  const isInCompartment = (type: ResourceType, record: StoredVersion & { readonly text: string }): boolean => {
    if (owner === undefined) return true;
    if (type === owner) return patients?.has(record.id) !== false;
    if (level === 'group' && type.name === 'Group') return record.id === task.group;
    return patientsOfRecord(type, record, owner, { base, extract, partition }).some(id => patients?.has(id) !== false);
  };
  const decide =
    (...of: readonly ((type: ResourceType, record: StoredVersion & { readonly text: string }) => boolean)[]) =>
    (record: StoredVersion): boolean => {
      const type = model.types.get(record.type);
      return type !== undefined && hasText(record) && of.every(one => one(type, record));
    };
  const isReadable = (type: ResourceType, record: StoredVersion & { readonly text: string }): boolean =>
    isWithin(rule(type), type, record, extract, partition);
  const isMatch = (type: ResourceType, record: StoredVersion & { readonly text: string }): boolean =>
    isWithin(filters.get(type.name) ?? everything, type, record, extract, partition);
  const isPublished = (type: ResourceType, record: StoredVersion & { readonly text: string }): boolean =>
    !task.isForClients || type.name !== 'Binary' || !/"securityContext":/.test(record.text);

  const isWalked = (type: ResourceType): boolean => {
    if (owner === undefined) return task.provenance === 'usual' || type.name !== 'Provenance';
    if (type.name === 'Provenance') return false; // by what they are about: associated.ts
    if (type.name === 'Group' && task.patients !== undefined) return false; // it names others
    return type === owner || type.compartmentLinks.has(owner.name);
  };
  return {
    walked: types.filter(isWalked),
    supporting:
      owner === undefined
        ? []
        : types.filter(type => !isWalked(type) && !mayBeOf(type, owner.name) && type.name !== 'Binary'),
    isOpen: decide(isReadable),
    isInside: decide(isReadable, isInCompartment),
    isSelected: decide(
      type => types.includes(type) && !isNone(rule(type)),
      isPublished,
      isReadable,
      isMatch,
      isInCompartment,
    ),
  };
}

/** The ids of the patients (records of the type `owner`) whose compartments have a record. */
export function patientsOfRecord(
  type: ResourceType,
  { id, text }: Pick<StoredVersion, 'id'> & { readonly text: string },
  owner: ResourceType,
  place: { readonly base: string; readonly extract: Engine['extract']; readonly partition: Partition },
): readonly string[] {
  if (type === owner) return [id];
  const links: readonly SearchParam[] = type.compartmentLinks.get(owner.name) ?? [];
  if (links.length === 0) return [];
  const { id: partition, settings } = place.partition;
  const entries = place.extract(withOnly(type, links), text, { id: partition, zone: settings.zone });
  return entries.flatMap(({ value }) => (value.kind === 'reference' ? (localId(value, owner, place) ?? []) : []));
}

/** The ids of the patients, if not all are exported. */
function patientsIn(
  { level, patients }: ExportTask,
  members: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (level === 'system') return undefined;
  if (patients === undefined) return members;
  return new Set(patients.filter(id => members?.has(id) !== false));
}

/** Whether a record of a type may be about a patient: one of its parameters leads to one. */
const mayBeOf = (type: ResourceType, owner: string): boolean =>
  type.name === 'Provenance' ||
  type.indexed.values().some(({ type: kind, targets }) => kind === 'reference' && targets.includes(owner));

const everything: Query = { kind: 'all' };
