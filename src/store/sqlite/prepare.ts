import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { storedTypes } from '../../definitions/definition.ts';
import { stamp } from '../../fhir/resource-text.ts';
import { printOwners } from '../keys/owners.ts';
import { paramsReferringTo } from '../plan/indexes.ts';
import { isNew, queryOf, requireApart } from '../port/conditional.ts';
import { RecordTooLarge } from '../port/errors.ts';
import type { Change, Requirement, WriteOptions } from '../port/records.ts';
import { isTooLong } from '../record/changes.ts';
import { entriesOfStored } from '../upkeep/entries.ts';
import { latestOf } from '../upkeep/views.ts';
import { carriesSame } from './attachments.ts';
import { type Core, epochFor, followOthers, partitionIndex, register } from './core.ts';
import type { PartitionIndex, TypeIndex } from './dictionary.ts';
import { printPart } from './job-text.ts';
import type { PreparedChange, PreparedRequirement, WriteJob } from './jobs.ts';
import { isOrdered } from './order.ts';
import { askNoMatch, askReferring } from './requirements.ts';
import { differences, emptyRows, type Rows, rowsOf } from './rows.ts';
import { createdOf } from './versions.ts';

/**
 * Number of changes after which the event loop gets a turn. A server answers requests then; a load would read its next
 * records, and delay the write that it prepares.
 */
const turns = { serve: 50, command: 500, read: 500 } as const;

/**
 * Does all work of a write that needs no transaction: reads the current versions, extracts the entries of the new and
 * of the old text, and compares them. Throws `RecordTooLarge`, Error for an undeclared type.
 */
export async function prepareWrite(
  core: Core,
  id: string,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<WriteJob> {
  requireApart(changes);
  const needed = options.requires ?? [];
  await requireRegistered(core, id, [...changes, ...needed.flatMap(one => typesOf(core, one))]);
  const partition = partitionIndex(core, id);
  if (partition === undefined) throw new Error(`There is no partition \`${id}\``);
  const requires = await preparedRequirements(core, partition, needed);
  const before = new Map<string, Before>();
  const repeated = repeatedKeys(changes);
  const prepared = new Parts(core.writer);
  const turn = turns[core.options.mode];
  for (const [at, change] of changes.entries()) {
    if (at % turn === turn - 1) await setImmediate();
    const index = declared(partition, change.type);
    const key = keyOf(change);
    const found =
      before.get(key) ?? (isNew(change.precondition) ? nothing : readBefore(core, partition, index, change.id));
    const precondition = await preparedCondition(core, partition, index, change, requires);
    const [step, after] = prepareChange(core, partition, index, change, precondition, found);
    await prepared.add(step);
    if (repeated.has(key)) before.set(key, after);
  }
  const { n } = partition;
  const { mark, key } = options;
  const epoch = epochFor(core, partition);
  const defines = [...changes.entries()].flatMap(([at, { type }]) =>
    storedTypes.has(type) ? [[at, type] as const] : [],
  );
  return { kind: 'write', n, epoch, now: core.options.now(), ...prepared.rest(), requires, mark, key, defines };
}

const keyOf = ({ type, id }: Change): string => `${type}/${id}`;

/** The records that several changes concern. */
function repeatedKeys(changes: readonly Change[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(changes.map(keyOf).filter(key => seen.size === seen.add(key).size));
}

/** Characters of the records of one part of a large write. */
const longestPart = 2 * 1024 * 1024;
/** Characters for which a change counts beside its record. */
const perChange = 256;

/** The prepared changes of a write: of a large one, all but the last are sent ahead, and take no memory here. */
class Parts {
  readonly #writer: Core['writer'];
  #name: string | undefined;
  #changes: PreparedChange[] = [];
  #length = 0;

  constructor(writer: Core['writer']) {
    this.#writer = writer;
  }

  async add(change: PreparedChange): Promise<void> {
    if (this.#length >= longestPart && this.#writer !== undefined) {
      this.#name ??= randomUUID();
      await this.#writer.hold(await printPart(this.#name, this.#changes));
      this.#changes = [];
      this.#length = 0;
    }
    this.#changes.push(change);
    const { before = '', after = '' } = change.text ?? {};
    this.#length += before.length + after.length + perChange;
  }

  rest(): Pick<WriteJob, 'changes' | 'parts'> {
    return { changes: this.#changes, parts: this.#name };
  }
}

/** The types in which a requirement is decided. */
const typesOf = ({ options }: Core, { is, type }: Requirement): readonly { readonly type: string }[] => [
  { type },
  ...(is === 'unreferred'
    ? [...paramsReferringTo(options.model, type).keys()].map(({ name }) => ({ type: name }))
    : []),
];

/** A type of unregistered definitions has no number yet. */
async function requireRegistered(core: Core, id: string, named: readonly { readonly type: string }[]): Promise<void> {
  const types = partitionIndex(core, id)?.types;
  if (!named.some(({ type }) => types?.get(type)?.t === 0)) return;
  await followOthers(core);
  const below = core.below ?? core;
  if (latestOf(below) === below) await register(below);
}

function declared({ types }: PartitionIndex, type: string): TypeIndex {
  const index = types.get(type);
  if (index === undefined || index.t === 0) throw new Error(`\`${type}\` is not a declared type`);
  return index;
}

async function preparedRequirements(
  core: Core,
  partition: PartitionIndex,
  requires: readonly Requirement[],
): Promise<PreparedRequirement[]> {
  const prepared: PreparedRequirement[] = [];
  for (const requirement of requires) {
    const { type } = requirement;
    const index = declared(partition, type);
    prepared.push({ ...(await askRequirement(core, partition, index, requirement)), t: index.t, type });
  }
  return prepared;
}

async function askRequirement(core: Core, partition: PartitionIndex, index: TypeIndex, requirement: Requirement) {
  switch (requirement.is) {
    case 'there':
      return requirement;
    case 'no-match':
      return askNoMatch(core, partition, index, requirement.query);
    case 'unreferred':
      return askReferring(core, partition, requirement, requirement.except);
    default:
      return requirement satisfies never;
  }
}

/** A `no-match` with exceptions becomes a requirement of the whole write. */
async function preparedCondition(
  core: Core,
  partition: PartitionIndex,
  index: TypeIndex,
  { type, precondition }: Change,
  requires: PreparedRequirement[],
): Promise<PreparedChange['precondition']> {
  if (precondition?.is !== 'no-match') return precondition;
  const asked = await askNoMatch(core, partition, index, queryOf(precondition));
  if (precondition.except === undefined) return asked;
  requires.push({ ...asked, t: index.t, type });
  return { is: 'absent' };
}

/** The state before a change: the stored one, or the result of an earlier change of the same write. */
interface Before {
  readonly version: number;
  readonly isThere: boolean;
  /** Undefined if the stamp is not known yet. */
  readonly ord: number | undefined;
  /** `ord` of the next version in a type without a sort date; undefined: it stays, or is the stamp of a new record. */
  readonly created: number | undefined;
  /** Whether the stored text equals this one. */
  isText(text: { before: string; after: string }): boolean;
  rows(): Rows;
}

const nothing: Before = {
  version: 0,
  isThere: false,
  ord: undefined,
  created: undefined,
  isText: () => false,
  rows: emptyRows,
};

function readBefore(core: Core, partition: PartitionIndex, index: TypeIndex, id: string): Before {
  const row = core.database.get('SELECT version, last_updated, ord, text FROM resources WHERE t = ? AND id = ?', [
    index.t,
    id,
  ]);
  if (row === undefined) return nothing;
  const version = Number(row[0]);
  if (row[3] === null) return { ...nothing, version };
  const [text, lastUpdated, ord] = [String(row[3]), Number(row[1]), Number(row[2])];
  // While the order is being rebuilt, `ord` may be that of other definitions.
  const created = (): number =>
    isOrdered(index) ? ord : createdOf(core.database, { t: index.t, id, version, lastUpdated });
  return {
    version,
    isThere: true,
    ord,
    created: index.type.sortDate === undefined ? created() : undefined,
    // Most are already unlike in their parts.
    isText: ({ before, after }) =>
      text.startsWith(before) && text.endsWith(after) && text === before + stamp(version, lastUpdated) + after,
    rows: () => storedRows(core, index, zoneOf(partition), text),
  };
}

function prepareChange(
  core: Core,
  partition: PartitionIndex,
  index: TypeIndex,
  change: Change,
  precondition: PreparedChange['precondition'],
  found: Before,
): readonly [PreparedChange, Before] {
  const { type, id } = change;
  const base = {
    t: index.t,
    type,
    id,
    expected: found.version,
    precondition,
    same: false,
    ord: undefined,
    attachments: undefined,
    owners: null,
  };
  if (change.kind === 'remove') {
    if (!found.isThere) return [{ ...base, text: undefined, added: undefined, removed: undefined }, found];
    return [
      { ...base, text: undefined, added: undefined, removed: found.rows() },
      { ...nothing, version: found.version + 1 },
    ];
  }
  const { text, attachments } = change;
  if (found.isThere && found.isText(text) && carriesSame(core.database, index.t, id, found.version, attachments))
    return [{ ...base, text, same: true, added: undefined, removed: undefined }, found];
  if (isTooLong(text)) throw new RecordTooLarge(type, id);
  const whole = text.before + stamp(1, 0) + text.after;
  const entries = core.options.extract(index.type, whole, zoneOf(partition), change.parsed);
  const { rows, ord = found.created } = rowsOf(index, entries);
  const old = found.isThere ? found.rows() : undefined;
  const [added, removed] =
    old !== undefined && ord !== undefined && ord === found.ord ? differences(index, rows, old) : [rows, old];
  return [
    { ...base, text, ord, added, removed, attachments, owners: printOwners(index.type, entries) },
    {
      version: found.version + 1,
      isThere: true,
      ord: undefined,
      created: found.created,
      isText: other => other.before === text.before && other.after === text.after,
      rows: () => rows,
    },
  ];
}

/**
 * The rows of a stored text. None if it is damaged: they are unknown and stay until `index rebuild` removes them, so
 * that the record can be replaced or deleted.
 */
export function storedRows(
  { options }: Core,
  index: TypeIndex,
  partition: { readonly id: string; readonly zone: string },
  text: string,
): Rows {
  const entries = entriesOfStored({ extract: options.extract }, index.type, text, partition);
  return entries === undefined ? emptyRows() : rowsOf(index, entries).rows;
}

function zoneOf({ id, settings }: PartitionIndex): { id: string; zone: string } {
  return { id, zone: settings.zone };
}
