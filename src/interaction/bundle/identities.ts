import { FhirError, fhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/id.ts';
import { asString, isObject } from '../../fhir/json-object.ts';
import type { Query } from '../../search/ast.ts';
import type { Partition } from '../../store/partitions.ts';
import { ifNoneExist } from '../conditional-create.ts';
import { firstTwo, readCriteria, urlCriteria } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import type { Engine } from '../interaction.ts';
import type { Targets } from './head.ts';
import type { StagedPartition } from './staged/staged-partition.ts';
import type { TransactionEntry } from './transaction-entry.ts';

/** The record that an entry of a transaction leads to. */
export interface Identity {
  readonly type: string;
  readonly id: string;
  /** The id of a record that the entry creates. */
  readonly newId: string;
  /** Whether criteria decide: its interaction decides again, and may find another one. */
  readonly isConditional: boolean;
  /** Whether the record gets the resource of the entry. */
  readonly isReplaced: boolean;
  /** Whether a DELETE entry leads to the same record. */
  readonly isDeleted: boolean;
}

/** Where identities are decided. */
export interface IdentityPlace {
  /** As it is stored. */
  readonly before: Partition;
  /** With the changes of the DELETE entries. */
  readonly staged: StagedPartition;
  /** The records that DELETE entries name, as `Type/id`. */
  readonly deleted: ReadonlySet<string>;
}

/** Of the entries that create, update or patch a record. */
export type Identities = ReadonlyMap<TransactionEntry, Identity>;

/**
 * Decides which records the entries of a transaction lead to before they are carried out: criteria are searched as
 * their interactions do it later. Entries that create by the same criteria create one record. Criteria of a URL that
 * match a record only before the DELETE entries lead to that record.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export async function decideIdentities(
  engine: Engine,
  { before, staged, deleted }: IdentityPlace,
  entries: readonly TransactionEntry[],
): Promise<Identities> {
  const identities = new Map<TransactionEntry, Identity>();
  const newIds = new Map<string, string>();
  for (const entry of entries) {
    const { interaction, resourceType: type = '', id, headers } = entry.request;
    if (interaction !== 'create' && interaction !== 'update' && interaction !== 'patch') continue;
    const criteria = interaction === 'create' ? headers['if-none-exist'] : undefined;
    const newId = newIds.get(`${type}?${criteria}`) ?? engine.newId();
    if (criteria !== undefined) newIds.set(`${type}?${criteria}`, newId);
    const isConditional = interaction === 'create' ? criteria !== undefined : id === undefined;
    const found = isConditional ? await foundBy(engine, staged, entry) : id;
    const isReplaced = interaction === 'update' || (interaction === 'create' && found === undefined);
    const own = interaction === 'update' ? givenId(entry) : undefined;
    const isSought = isConditional && interaction !== 'create' && found === undefined && staged.records.length > 0;
    const gone = isSought ? await foundBy(engine, before, entry) : undefined;
    const leadsTo = found ?? gone ?? own ?? newId;
    const isDeleted = deleted.has(`${type}/${leadsTo}`) || staged.has(type, leadsTo);
    identities.set(entry, { type, id: leadsTo, newId, isConditional, isReplaced, isDeleted });
  }
  return identities;
}

/**
 * The destinations of links, by the fullUrl of their entries. Throws FhirError 400 for a fullUrl of two entries.
 * https://hl7.org/fhir/R4/bundle.html#bundle-unique
 */
export function targetsOf(identities: Identities): Targets {
  const targets: Targets = new Map();
  for (const [{ index, value, request }, { type, id }] of identities) {
    const fullUrl = asString(value['fullUrl']);
    const reference = `${type}/${id}`;
    if (fullUrl === undefined || fullUrl === `${request.base}/${reference}`) continue;
    if (targets.has(fullUrl)) throw twice(fullUrl, index);
    targets.set(fullUrl, { reference, settled: true });
  }
  return targets;
}

/** The id of the record that the criteria of an entry find; undefined for none, and if its interaction refuses it. */
async function foundBy(engine: Engine, partition: Partition, entry: TransactionEntry): Promise<string | undefined> {
  const { request } = entry;
  const type = declaredType(engine.model, request);
  try {
    const query = await queryOf(engine, partition, entry);
    if (query === undefined) return undefined;
    const place = { partition, extract: engine.extract, base: request.base };
    const versions = await firstTwo(type, query, place);
    return versions.length === 1 ? versions[0]?.id : undefined;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}

async function queryOf(
  engine: Engine,
  partition: Partition,
  { request }: TransactionEntry,
): Promise<Query | undefined> {
  const type = declaredType(engine.model, request);
  if (request.interaction !== 'create') {
    const pairs = request.parameters;
    return readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  }
  const precondition = await ifNoneExist(engine, type, request, partition);
  return precondition.is === 'no-match' ? precondition.query : undefined;
}

function givenId({ value: { resource } }: TransactionEntry): string | undefined {
  const id = isObject(resource) ? asString(resource['id']) : undefined;
  return id !== undefined && isId(id) ? id : undefined;
}

const twice = (fullUrl: string, index: number): FhirError =>
  fhirError(
    400,
    'duplicate',
    `Another entry has the fullUrl \`${fullUrl.slice(0, 200)}\` too: links to it would have two meanings.`,
    `Bundle.entry[${index}].fullUrl`,
  );
