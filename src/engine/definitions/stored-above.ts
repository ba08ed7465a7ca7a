import { setImmediate } from 'node:timers/promises';
import { storedTypes } from '../../definitions/definition.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import { printProblem } from '../../definitions/problem.ts';
import { definitionsAbove, storedDefinition } from '../../definitions/stored.ts';
import type { StoredDefinition } from '../../definitions/definition.ts';
import type { Extract } from '../../indexing/extract.ts';
import type { Model } from '../../model/model.ts';
import { modelAbove } from '../../model/stored-above.ts';
import { terminologyOf } from '../../terminology/loaded.ts';
import type { VersionWithText } from '../../store/port/records.ts';
import type { DefiningPartition, StoreDefinitions } from '../../store/port/definitions.ts';

/** The definitions of a partition: those that its records are, above those of the server. */
export interface PartitionDefinitions extends StoreDefinitions {
  readonly model: Model;
  readonly extract: Extract;
  readonly definitions: Definitions;
  /** The records, by `Type/id`. */
  readonly records: ReadonlyMap<string, StoredDefinition>;
}

/** What the records are above. */
export interface Below {
  readonly model: Model;
  readonly definitions: Definitions;
  readonly extractOf: (model: Model) => Extract;
  /** Receives a sentence for the operator about a record that does not apply. */
  readonly notice: (text: string) => void;
}

interface Known {
  readonly changes: number;
  readonly made: PartitionDefinitions;
  readonly size: number;
}

/** The most bytes of the definitions of one partition; what is beyond does not apply. */
export const mostDefinitionBytes = 64 * 1024 * 1024;

/** The most bytes of the definitions of all partitions that are kept: those used last. */
const mostKept = 4 * mostDefinitionBytes;

/** Mistakes that are logged at a change. */
const mostNotices = 5;

/** Definitions of partitions, made at their first use and again after a change, and those of each model. */
export interface StoredAbove {
  readonly above: NonNullable<StoreDefinitions['above']>;
  /** What was made with a model; undefined for a model that is not of a partition. */
  of(model: StoreDefinitions['model']): PartitionDefinitions | undefined;
  /** Calls the function after each change of search parameters of a partition, as this process notices it. */
  watch(changed: () => void): void;
}

/**
 * Makes the definitions of partitions from their records. After a change only the changed records are read, if the
 * store still names them. Changes of one partition are read one after the other; what is made never goes back.
 */
export function createStoredAbove(below: Below): StoredAbove {
  const known = new Map<string, Promise<Known>>();
  const byModel = new WeakMap<object, PartitionDefinitions>();
  const sizes = new Map<string, number>();
  let noticed = (): void => {};
  const latest = async (place: DefiningPartition): Promise<Known> => {
    const before = known.get(place.id);
    const next = update(before, place, below);
    known.delete(place.id);
    known.set(place.id, next); // the last one used is the last one
    try {
      const found = await next;
      if (!byModel.has(found.made.model) && hasParameters(found)) noticed();
      byModel.set(found.made.model, found.made);
      sizes.set(place.id, found.size);
      dropOld(place.id);
      return found;
    } catch (error) {
      if (known.get(place.id) === next) known.delete(place.id); // the store fails: read again
      throw error;
    }
  };
  const dropOld = (used: string): void => {
    let all = sizes.values().reduce((sum, size) => sum + size, 0);
    for (const id of known.keys()) {
      if (all <= mostKept) return;
      if (id === used) continue;
      all -= sizes.get(id) ?? 0;
      known.delete(id);
      sizes.delete(id);
    }
  };
  return {
    above: async place => (await latest(place)).made,
    of: model => byModel.get(model),
    watch: changed => void (noticed = changed),
  };
}

const hasParameters = ({ made }: Known): boolean =>
  made.records.values().some(({ resourceType }) => resourceType === 'SearchParameter');

async function update(before: Promise<Known> | undefined, place: DefiningPartition, below: Below): Promise<Known> {
  const known = await before?.catch(() => undefined);
  if (known !== undefined && known.changes >= place.changes) return known;
  const records = (known && (await changedRecords(known, place))) ?? (await allRecords(place, below.model));
  const fitting = withinSize([...records.values()], below.notice, place.id);
  const definitions = definitionsAbove(below.definitions, fitting);
  const { model, problems } = modelAbove(below.model, definitions, fitting, terminologyOf(definitions).expansions);
  const said = `The partition \`${place.id}\` has a definition that does not apply: `;
  for (const problem of problems.slice(0, mostNotices)) below.notice(`${said}${printProblem(problem)}`);
  const made = { model, definitions, extract: below.extractOf(model), records };
  return { changes: place.changes, made, size: sizeOf(records.values()) };
}

/** The records after the changes since; undefined if the store does not name all of them. */
async function changedRecords(
  { changes, made }: Known,
  place: DefiningPartition,
): Promise<ReadonlyMap<string, StoredDefinition> | undefined> {
  const since = place.changes - changes;
  const last = await place.lastChanges();
  // The list may be longer than `changes` says, if there are others by now: then more is read than necessary.
  if (last.length < since) return undefined;
  const keys = [...new Map(last.map(key => [`${key.type}/${key.id}`, key])).values()];
  const records = new Map(made.records);
  for (const { type, id } of keys) records.delete(`${type}/${id}`);
  for (const version of await place.read(keys)) add(records, version);
  return records;
}

async function allRecords(place: DefiningPartition, { types }: Model): Promise<ReadonlyMap<string, StoredDefinition>> {
  const records = new Map<string, StoredDefinition>();
  for (const type of [...storedTypes].filter(name => types.has(name)))
    for (let after = ''; ;) {
      const page = await place.page(type, after);
      for (const version of page) add(records, version);
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.id;
      await setImmediate(); // other requests are answered
    }
  return records;
}

/** A damaged text defines nothing; `verify` reports it. */
function add(records: Map<string, StoredDefinition>, version: VersionWithText): void {
  try {
    records.set(`${version.type}/${version.id}`, storedDefinition(version));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

const sizeOf = (records: Iterable<StoredDefinition>): number => [...records].reduce((sum, { size }) => sum + size, 0);

function withinSize(
  records: readonly StoredDefinition[],
  notice: Below['notice'],
  partition: string,
): readonly StoredDefinition[] {
  if (sizeOf(records) <= mostDefinitionBytes) return records;
  let size = 0;
  const fitting = records.filter(one => (size += one.size) <= mostDefinitionBytes);
  notice(
    `${records.length - fitting.length} definitions of the partition \`${partition}\` do not apply: all together ` +
      `have more than ${mostDefinitionBytes} bytes.`,
  );
  return fitting;
}
