import { FhirError, fhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import { asString } from '../../fhir/json-object.ts';
import type { Query } from '../../search/ast.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { ifNoneExist } from '../conditional-create.ts';
import { firstTwo, readCriteria, urlCriteria } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import type { Engine, SentRequest } from '../interaction.ts';
import { inCircle, linkCriteria } from './criteria-links.ts';
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
 * match a record only before the DELETE entries lead to that record. Criteria that name another entry are decided after
 * it. https://hl7.org/fhir/R4/http.html#transaction
 */
export class Deciding {
  readonly #engine: Engine;
  readonly #place: IdentityPlace;
  readonly #byUrl = new Map<string, TransactionEntry>();
  readonly #newIds = new Map<string, string>();
  readonly #known = new Map<TransactionEntry, Promise<Identity>>();
  readonly #linked = new Map<TransactionEntry, Promise<SentRequest>>();
  /** The entries whose criteria each entry waits for. */
  readonly #waiting = new Map<TransactionEntry, TransactionEntry>();

  constructor(engine: Engine, place: IdentityPlace, writes: readonly TransactionEntry[]) {
    this.#engine = engine;
    this.#place = place;
    for (const entry of writes) {
      const fullUrl = asString(entry.value['fullUrl']);
      if (fullUrl !== undefined && isDecided(entry) && !this.#byUrl.has(fullUrl)) this.#byUrl.set(fullUrl, entry);
    }
  }

  /** The records of entries; of those that write one. `turn` is called between them. */
  async all(entries: readonly TransactionEntry[], turn: () => Promise<void>): Promise<Identities> {
    const identities = new Map<TransactionEntry, Identity>();
    for (const entry of entries) {
      if (!isDecided(entry)) continue;
      await turn();
      identities.set(entry, await this.of(entry));
    }
    return identities;
  }

  /** The record that an entry leads to. */
  of(entry: TransactionEntry): Promise<Identity> {
    const known = this.#known.get(entry) ?? this.#decide(entry);
    this.#known.set(entry, known);
    return known;
  }

  /**
   * The request of an entry with the records of others in its criteria. Throws FhirError 400 if they name an entry that
   * does not exist, or entries name each other.
   */
  linked(entry: TransactionEntry): Promise<SentRequest> {
    const linked = this.#linked.get(entry) ?? this.#link(entry);
    this.#linked.set(entry, linked);
    return linked;
  }

  #link(entry: TransactionEntry): Promise<SentRequest> {
    const fullUrl = asString(entry.value['fullUrl']);
    const recordOf = async (url: string): Promise<string | undefined> => {
      const named = this.#byUrl.get(url);
      if (named === undefined) return undefined;
      for (let at: TransactionEntry | undefined = named; at !== undefined; at = this.#waiting.get(at))
        if (at === entry) throw inCircle();
      this.#waiting.set(entry, named);
      const { type, id } = await this.of(named);
      this.#waiting.delete(entry);
      return `${type}/${id}`;
    };
    return linkCriteria(entry.request, { model: this.#engine.model, fullUrl, recordOf });
  }

  async #decide(entry: TransactionEntry): Promise<Identity> {
    const { before, staged, deleted } = this.#place;
    const { interaction, resourceType: type = '', id } = entry.request;
    const request = await this.#linkedOrSent(entry);
    const criteria = interaction === 'create' ? request.headers['if-none-exist'] : undefined;
    const newId = this.#newIds.get(`${type}?${criteria}`) ?? this.#engine.newId();
    if (criteria !== undefined) this.#newIds.set(`${type}?${criteria}`, newId);
    const isConditional = interaction === 'create' ? criteria !== undefined : id === undefined;
    const found = isConditional ? await foundBy(this.#engine, staged, request) : id;
    const isReplaced = interaction === 'update' || (interaction === 'create' && found === undefined);
    const own = interaction === 'update' ? givenId(entry) : undefined;
    const isSought = isConditional && interaction !== 'create' && found === undefined && !staged.isUnchanged;
    const gone = isSought ? await foundBy(this.#engine, before, request) : undefined;
    const leadsTo = found ?? gone ?? own ?? newId;
    const isDeleted = deleted.has(`${type}/${leadsTo}`) || staged.has(type, leadsTo);
    return { type, id: leadsTo, newId, isConditional, isReplaced, isDeleted };
  }

  /** Criteria that cannot be linked find nothing; their entry is refused when it is carried out. */
  async #linkedOrSent(entry: TransactionEntry): Promise<SentRequest> {
    try {
      return await this.linked(entry);
    } catch (error) {
      if (error instanceof FhirError) return entry.request;
      throw error;
    }
  }
}

/** Whether an entry creates, updates or patches a record. */
const isDecided = ({ request: { interaction } }: TransactionEntry): boolean =>
  interaction === 'create' || interaction === 'update' || interaction === 'patch';

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
async function foundBy(engine: Engine, partition: Partition, request: SentRequest): Promise<string | undefined> {
  const type = declaredType(engine.model, request);
  try {
    const query = await queryOf(engine, partition, request);
    if (query === undefined) return undefined;
    const place = { partition, extract: engine.extract, base: request.base };
    const versions = await firstTwo(type, query, place);
    return versions.length === 1 ? versions[0]?.id : undefined;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}

async function queryOf(engine: Engine, partition: Partition, request: SentRequest): Promise<Query | undefined> {
  const type = declaredType(engine.model, request);
  if (request.interaction !== 'create') {
    const pairs = request.parameters;
    return readCriteria(engine, type, request, partition, { pairs, source: urlCriteria });
  }
  const precondition = await ifNoneExist(engine, type, request, partition);
  return precondition.is === 'no-match' ? precondition.query : undefined;
}

const givenId = ({ named }: TransactionEntry): string | undefined =>
  named?.id !== undefined && isId(named.id) ? named.id : undefined;

const twice = (fullUrl: string, index: number): FhirError =>
  fhirError(
    400,
    'duplicate',
    `Another entry has the fullUrl \`${fullUrl.slice(0, 200)}\` too: links to it would have two meanings.`,
    `Bundle.entry[${index}].fullUrl`,
  );
