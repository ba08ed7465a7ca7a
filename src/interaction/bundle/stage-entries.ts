import { asString } from '../../fhir/json-object.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { QueryPair } from '../../search/request.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { checkStructure } from '../../validation/structure.ts';
import { matchBad } from '../criteria.ts';
import type { CriteriaMatch } from '../criteria.ts';
import { putOf } from '../write/record.ts';
import { linkPairs } from './criteria-links.ts';
import type { RecordOf } from './criteria-links.ts';
import { entryPath } from './entry.ts';
import type { Targets } from './head.ts';
import { Deciding, targetsOf } from './identities.ts';
import type { Identities, Identity, RequestEntry } from './identities.ts';
import { linksIn, rewriteLinks } from './link.ts';
import { inOrder, methodOf } from './read-entries.ts';
import { resolveLinks } from './resolve.ts';
import type { Resolution } from './resolve.ts';
import { placeholderFrom } from './staged/placeholder.ts';
import { repeated, StagedPartition } from './staged/staged-partition.ts';
import type { StagedParts } from './staged/staged-partition.ts';

/** What the transactions of clients and of loads do differently. */
export interface TransactionRules<Entry extends RequestEntry> extends Omit<StagedParts, 'placeholder'> {
  readonly base: string;
  /** What the criteria of a request find. */
  readonly find: (request: Entry['request'], partition: Partition) => Promise<CriteriaMatch>;
  /** What a conditional reference finds; `ended` has the resources of all entries. */
  readonly findReferenced: (
    ended: StagedPartition,
    type: string,
    pairs: readonly QueryPair[],
  ) => Promise<CriteriaMatch>;
  /** The id of a record that an entry creates. */
  readonly newId: (entry: Entry) => string;
  /** The fullUrls to which links are replaced; undefined: all, each of one entry. */
  readonly targets?: Targets | undefined;
  /** Called between entries. Throws if the transaction ends here. */
  readonly turn: () => Promise<void>;
  /** Carries out an entry; `identity` is the record that it creates, updates or patches. */
  readonly carryOut: (entry: Entry, identity: Identity | undefined) => Promise<void>;
  /** Called with the error of an entry that is not carried out. */
  readonly fail: (entry: Entry, error: unknown) => void;
}

/**
 * The entries of a transaction, which are carried out on a partition that has their changes: first those that delete,
 * then those that create, update or patch, after it is decided which records they lead to. Links lead to the records of
 * other entries, and conditional references to what they find after all entries.
 * https://hl7.org/fhir/R4/http.html#trules
 */
export class StagedEntries<Entry extends RequestEntry> {
  readonly partition: StagedPartition;
  readonly #rules: TransactionRules<Entry>;
  readonly #deleted = new Set<string>();
  readonly #found = new Map<string, Promise<CriteriaMatch>>();
  #deciding: Deciding<Entry>;
  #identities: Identities<Entry> = new Map();
  #targets: Targets = new Map();
  #ended: Promise<StagedPartition> | undefined;

  constructor(rules: TransactionRules<Entry>) {
    this.#rules = rules;
    this.partition = new StagedPartition({ ...rules, placeholder: placeholderFrom(rules.now()) });
    this.#deciding = this.#createDeciding([]);
  }

  /** Carries out the entries that write. */
  async carryOut(entries: readonly Entry[]): Promise<void> {
    const { turn, targets, carryOut, fail } = this.#rules;
    const ordered = inOrder(entries);
    const writes = ordered.filter(entry => ['POST', 'PUT', 'PATCH'].includes(methodOf(entry)));
    await this.partition.withoutChanges(async () => {
      // Their criteria name records as they are stored: one that the transaction creates matches nothing.
      this.#deciding = this.#createDeciding(writes);
      for (const entry of ordered) if (methodOf(entry) === 'DELETE') await this.#delete(entry);
    });
    this.#deciding = this.#createDeciding(writes);
    const identities = await this.#deciding.all(writes, turn);
    this.#identities = identities;
    this.#targets = targetsOf(identities, targets);
    await this.partition.readAhead([...identities.values()]);
    for (const entry of writes) {
      const identity = identities.get(entry);
      if (identity?.isDeleted === true) fail(entry, repeated(`${identity.type}/${identity.id}`));
      else await carryOut(entry, identity);
    }
  }

  async #delete(entry: Entry): Promise<void> {
    const { resourceType, id } = entry.request;
    const key = `${resourceType}/${id}`;
    if (id !== undefined && this.#deleted.has(key)) this.#rules.fail(entry, repeated(key));
    else await this.#rules.carryOut(entry, undefined);
    // The record may not exist.
    if (id !== undefined) this.#deleted.add(key);
  }

  #createDeciding(writes: readonly Entry[]): Deciding<Entry> {
    const { model, partition, find, newId } = this.#rules;
    const staged = this.partition;
    return new Deciding(
      {
        model,
        find: request => find(request, staged),
        findBefore: request => (staged.isUnchanged ? none : find(request, partition)),
        newId,
        isDeleted: (type, id) => this.#deleted.has(`${type}/${id}`) || staged.has(type, id),
      },
      writes,
    );
  }

  /** The request of an entry with the records of others in its criteria. Throws FhirError 400. */
  linked(entry: Entry): Promise<Entry['request']> {
    return this.#deciding.linked(entry);
  }

  /** The resource of an entry with its links resolved; undefined if it has none, or no links. */
  async resource(entry: Entry): Promise<Resolution | undefined> {
    const text = entry.resource()?.text;
    if (text === undefined || this.#isPlain(text)) return undefined;
    return this.#resolve(entry, text, `${entryPath(entry.index)}.resource`);
  }

  /**
   * What the patch of an entry makes of a version, whose own links may lead nowhere. It is no part of the Bundle, but
   * has the places of a separate patch.
   */
  async patched(entry: Entry, text: string, before: string): Promise<Resolution | undefined> {
    if (this.#isPlain(text)) return undefined;
    const known = linksIn(before, this.#rules.model.definitions);
    return this.#resolve(entry, text, entry.request.resourceType ?? '', known);
  }

  /** A text without links is not searched for them: most have none. */
  #isPlain(text: string): boolean {
    return this.#targets.size === 0 && !mayLead.test(text);
  }

  #resolve({ value }: Entry, text: string, root: string, known?: ReadonlySet<string>): Promise<Resolution> {
    const { base, model } = this.#rules;
    const fullUrl = asString(value['fullUrl']);
    const find = this.#findReferenced;
    return resolveLinks(text, { targets: this.#targets, base, fullUrl, model, root, strict: true, known, find });
  }

  readonly #findReferenced = (type: string, criteria: string): Promise<CriteriaMatch> => {
    const key = `${type}?${criteria}`;
    const match = this.#found.get(key) ?? this.#search(type, criteria);
    this.#found.set(key, match);
    return match;
  };

  async #search(type: string, criteria: string): Promise<CriteriaMatch> {
    const { model, findReferenced } = this.#rules;
    if (!model.types.has(type)) return { kind: 'undeclared' };
    this.#ended ??= this.#withResources();
    const ended = await this.#ended;
    const recordOf: RecordOf = url => Promise.resolve(this.#targets.get(url)?.reference);
    return matchBad(async () => {
      const pairs = await linkPairs(parsePairs(criteria), { model, type, fullUrl: undefined, recordOf });
      return findReferenced(ended, type, pairs);
    });
  }

  /** The partition with the resources of the entries that have a valid structure, before they are decided. */
  async #withResources(): Promise<StagedPartition> {
    const { model, turn } = this.#rules;
    const ended = this.partition.copy();
    for (const [entry, { type, id, isReplaced }] of this.#identities) {
      if (!isReplaced || !model.types.has(type) || ended.has(type, id)) continue;
      await turn();
      const resource = entry.resource();
      if (resource === undefined || checkStructure(resource.parsed.value, model, type).length > 0) continue;
      const linked = rewriteLinks(resource.text, model.definitions, ({ text }) => this.#targets.get(text)?.reference);
      await ended.write([putOf(type, id, linked)]);
    }
    return ended;
  }
}

const none: Promise<CriteriaMatch> = Promise.resolve({ kind: 'none' });

const mayLead = /urn:(?:uuid|oid):|"reference":"(?:[^"?]*\/)?[A-Z][A-Za-z]{0,63}\?/;
