import { FhirError, fhirError } from '../../fhir/error.ts';
import { isId } from '../../fhir/reference.ts';
import { asString } from '../../fhir/json-object.ts';
import type { Model } from '../../model/model.ts';
import type { CriteriaMatch } from '../criteria.ts';
import type { SentRequest } from '../interaction.ts';
import { inCircle, linkCriteria } from './criteria-links.ts';
import type { RecordOf } from './criteria-links.ts';
import type { BundleEntry } from './entry.ts';
import type { Targets } from './head.ts';

/** The part of the request of an entry that decides which record it leads to. */
export type EntryRequest = Pick<SentRequest, 'interaction' | 'resourceType' | 'id' | 'parameters' | 'headers' | 'base'>;

/** An entry with its request, whose links are not resolved yet. */
export interface RequestEntry<Request extends EntryRequest = EntryRequest> extends BundleEntry {
  readonly request: Request;
}

/** The record that an entry leads to. */
export interface Identity {
  readonly type: string;
  readonly id: string;
  /** The id of a record that the entry creates. */
  readonly newId: string;
  /** What its criteria find; undefined without criteria. */
  readonly match: CriteriaMatch | undefined;
  /** Whether the record gets the resource of the entry. */
  readonly isReplaced: boolean;
  /** Whether a DELETE entry leads to the same record. */
  readonly isDeleted: boolean;
}

/** How the records of entries are decided. */
export interface IdentityRules<Entry extends RequestEntry> {
  readonly model: Model;
  /** What the criteria of a request find. */
  readonly find: (request: Entry['request']) => Promise<CriteriaMatch>;
  /** What those of a URL found before the DELETE entries, if that may be something else. */
  readonly findBefore?: ((request: Entry['request']) => Promise<CriteriaMatch>) | undefined;
  /** The id of a record that an entry creates. */
  readonly newId: (entry: Entry) => string;
  /** Whether a DELETE entry names a record, or has deleted it. */
  readonly isDeleted: (type: string, id: string) => boolean;
  /** The record of a fullUrl that none of the entries has. */
  readonly recordOf?: RecordOf | undefined;
}

/** The records of the entries that create, update or patch one. */
export type Identities<Entry extends RequestEntry = RequestEntry> = ReadonlyMap<Entry, Identity>;

/**
 * Decides which records the entries of a Bundle lead to before they are carried out. Entries that create by the same
 * criteria create one record. Criteria of a URL that match a record only before the DELETE entries lead to that record.
 * Criteria that name another entry are decided after it. https://hl7.org/fhir/R4/http.html#transaction
 */
export class Deciding<Entry extends RequestEntry> {
  readonly #rules: IdentityRules<Entry>;
  readonly #byUrl = new Map<string, Entry>();
  readonly #newIds = new Map<string, string>();
  readonly #known = new Map<Entry, Promise<Identity>>();
  readonly #linked = new Map<Entry, Promise<Entry['request']>>();
  /** The entries whose criteria each entry waits for. */
  readonly #waiting = new Map<Entry, Entry>();

  constructor(rules: IdentityRules<Entry>, entries: readonly Entry[]) {
    this.#rules = rules;
    for (const entry of entries) {
      const fullUrl = asString(entry.value['fullUrl']);
      if (fullUrl !== undefined && writesRecord(entry) && !this.#byUrl.has(fullUrl)) this.#byUrl.set(fullUrl, entry);
    }
  }

  /** The records of the entries that write one. `turn` is called between them. */
  async all(entries: readonly Entry[], turn: () => Promise<void>): Promise<Identities<Entry>> {
    const identities = new Map<Entry, Identity>();
    for (const entry of entries) {
      if (!writesRecord(entry)) continue;
      await turn();
      identities.set(entry, await this.of(entry));
    }
    return identities;
  }

  /** The record that an entry leads to. */
  of(entry: Entry): Promise<Identity> {
    const known = this.#known.get(entry) ?? this.#decide(entry);
    this.#known.set(entry, known);
    return known;
  }

  /**
   * The request of an entry with the records of others in its criteria. Throws FhirError 400 if they name an entry that
   * does not exist, or entries name each other.
   */
  linked(entry: Entry): Promise<Entry['request']> {
    const linked = this.#linked.get(entry) ?? this.#link(entry);
    this.#linked.set(entry, linked);
    return linked;
  }

  #link(entry: Entry): Promise<Entry['request']> {
    const { parameters, headers } = entry.request;
    if (parameters.length === 0 && headers['if-none-exist'] === undefined) return Promise.resolve(entry.request);
    const { model, recordOf: recordOfOther } = this.#rules;
    const fullUrl = asString(entry.value['fullUrl']);
    const recordOf = async (url: string): Promise<string | undefined> => {
      const named = this.#byUrl.get(url);
      if (named === undefined) return recordOfOther?.(url);
      for (let at: Entry | undefined = named; at !== undefined; at = this.#waiting.get(at))
        if (at === entry) throw inCircle();
      this.#waiting.set(entry, named);
      const { type, id } = await this.of(named);
      this.#waiting.delete(entry);
      return `${type}/${id}`;
    };
    return linkCriteria(entry.request, { model, fullUrl, recordOf });
  }

  async #decide(entry: Entry): Promise<Identity> {
    const { find, findBefore, newId: makeId, isDeleted } = this.#rules;
    const request = await this.#linkedOrSent(entry);
    const { interaction, resourceType: type = '', id } = request;
    const criteria = interaction === 'create' ? request.headers['if-none-exist'] : undefined;
    const newId = this.#newIds.get(`${type}?${criteria}`) ?? makeId(entry);
    if (criteria !== undefined) this.#newIds.set(`${type}?${criteria}`, newId);
    const isConditional = interaction === 'create' ? criteria !== undefined : id === undefined;
    const match = isConditional ? await find(request) : undefined;
    const found = match === undefined ? id : idOf(match);
    const isReplaced = interaction === 'update' || (interaction === 'create' && found === undefined);
    const own = interaction === 'update' ? givenId(entry) : undefined;
    const isSought = match !== undefined && interaction !== 'create' && found === undefined;
    const gone = isSought ? idOf(await findBefore?.(request)) : undefined;
    const leadsTo = found ?? gone ?? own ?? newId;
    return { type, id: leadsTo, newId, match, isReplaced, isDeleted: isDeleted(type, leadsTo) };
  }

  /** Criteria that cannot be linked find nothing; their entry is refused when it is carried out. */
  async #linkedOrSent(entry: Entry): Promise<Entry['request']> {
    try {
      return await this.linked(entry);
    } catch (error) {
      if (error instanceof FhirError) return entry.request;
      throw error;
    }
  }
}

const idOf = (match: CriteriaMatch | undefined): string | undefined => (match?.kind === 'one' ? match.id : undefined);

/** Whether an entry creates, updates or patches a record. */
const writesRecord = ({ request: { interaction } }: RequestEntry): boolean =>
  interaction === 'create' || interaction === 'update' || interaction === 'patch';

/**
 * The destinations of links, by the fullUrl of their entries: of all, or of those that are `among` others, of which the
 * last one counts. Throws FhirError 400 for a fullUrl of two entries. https://hl7.org/fhir/R4/bundle.html#bundle-unique
 */
export function targetsOf(identities: Identities, among?: Targets): Targets {
  const targets: Targets = new Map();
  for (const [{ index, value, request }, { type, id }] of identities) {
    const fullUrl = asString(value['fullUrl']);
    const reference = `${type}/${id}`;
    if (fullUrl === undefined || fullUrl === `${request.base}/${reference}` || among?.has(fullUrl) === false) continue;
    if (among === undefined && targets.has(fullUrl)) throw twice(fullUrl, index);
    targets.set(fullUrl, { reference, settled: true });
  }
  return targets;
}

const givenId = ({ named }: RequestEntry): string | undefined =>
  named?.id !== undefined && isId(named.id) ? named.id : undefined;

const twice = (fullUrl: string, index: number): FhirError =>
  fhirError(
    400,
    'duplicate',
    `Another entry has the fullUrl \`${fullUrl.slice(0, 200)}\` too: links to it would have two meanings.`,
    `Bundle.entry[${index}].fullUrl`,
  );
