import { FhirError } from '../fhir/error.ts';
import { matchBad } from '../interaction/criteria.ts';
import type { CriteriaMatch } from '../interaction/criteria.ts';
import { cutEntry, entryIssue, entryPath, readEntry } from '../interaction/bundle/entry.ts';
import type { BundleEntry } from '../interaction/bundle/entry.ts';
import type { Addressing, BundleHead } from '../interaction/bundle/head.ts';
import { Deciding } from '../interaction/bundle/identities.ts';
import { findByCriteria, fullUrlOf, loadEntry, newIdOf, withLoadRequest } from '../interaction/bundle/load-entry.ts';
import type { LoadedEntry } from '../interaction/bundle/load-entry.ts';
import { resolveLinks } from '../interaction/bundle/resolve.ts';
import type { Resolution } from '../interaction/bundle/resolve.ts';
import { maxDocument } from './read/units.ts';
import type { LoadContext } from '../interaction/write/context.ts';
import { type Outcome, jsonIssue } from '../interaction/write/loaded-record.ts';
import { parsePairs } from '../search/parse/pairs.ts';
import type { QueryPair } from '../search/request.ts';

/** An entry that is tried again at the end of its Bundle. */
export interface Deferred {
  readonly at: string;
  readonly bytes: Uint8Array;
}

/** An entry with a Bundle: its entries are loaded as if they were at the top level. */
export interface NestedBundle {
  readonly kind: 'bundle';
  readonly bytes: Uint8Array;
}

/** The outcome of an entry; `open` if it may succeed later. */
interface EntryOutcome {
  readonly outcome: Outcome | NestedBundle;
  readonly open: boolean;
}

/**
 * Processes the entries of a Bundle one by one. The target of a reference may follow later in the Bundle: an entry with
 * an unresolved link is deferred to the end. `flush` makes earlier entries searchable.
 */
export class IndependentEntries {
  /** The deferred entries, in order. */
  readonly deferred: Deferred[] = [];
  /** Its entries are records, not requests. */
  readonly plain: boolean;
  #deferredBytes = 0;
  #index = 0;
  readonly #context: LoadContext;
  readonly #head: BundleHead;
  readonly #addressing: Addressing;
  readonly #flush: () => Promise<void>;
  /** The records that conditional references have found. */
  readonly #found = new Map<string, CriteriaMatch>();

  constructor(context: LoadContext, head: BundleHead, addressing: Addressing, flush: () => Promise<void>) {
    this.#context = context;
    this.plain = head.type !== 'batch';
    this.#head = head;
    this.#addressing = addressing;
    this.#flush = flush;
  }

  /** Skips an entry that was loaded before. */
  pass(): void {
    this.#index++;
  }

  /** The outcome of the next entry; undefined if it was deferred. */
  async next(at: string, bytes: Uint8Array): Promise<Outcome | NestedBundle | undefined> {
    const { outcome, open } = await this.#load(at, bytes, this.#index++);
    if (!open || this.#deferredBytes + bytes.length > maxDocument) return outcome;
    this.#deferredBytes += bytes.length;
    this.deferred.push({ at, bytes });
    return undefined;
  }

  /** The outcome of a deferred entry, after all others. */
  async again({ at, bytes }: Deferred): Promise<Outcome | NestedBundle> {
    const index = Number(at.slice(at.lastIndexOf(' ') + 1)) - 1;
    return (await this.#load(at, bytes, index)).outcome;
  }

  async #load(at: string, bytes: Uint8Array, index: number): Promise<EntryOutcome> {
    const context = this.#context;
    let entry: BundleEntry;
    try {
      entry = readEntry(cutEntry(context.model, bytes), index, true);
    } catch (error) {
      const issues = error instanceof FhirError ? error.issues : [jsonIssue(error)];
      return { outcome: { kind: 'reject', issues }, open: false };
    }
    const planned = withLoadRequest(context, this.#head, this.#addressing, entry, at);
    if ('kind' in planned) return { outcome: planned, open: false };
    if (this.plain && planned.issues.length === 0 && entry.named?.container !== undefined)
      return { outcome: { kind: 'bundle', bytes: Buffer.from(entry.resource()?.text ?? '') }, open: false };
    try {
      return await this.#carryOut(planned);
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error;
      return { outcome: { kind: 'reject', issues: [entryIssue(index, 'request', unsettled)] }, open: true };
    }
  }

  async #carryOut(entry: LoadedEntry): Promise<EntryOutcome> {
    const context = this.#context;
    const { model } = context;
    const { targets } = this.#head;
    const find = ({ resourceType, parameters }: LoadedEntry['request']): Promise<CriteriaMatch> =>
      this.#find(resourceType, parameters);
    const recordOf = (url: string): Promise<string | undefined> => {
      const target = targets.get(url);
      return target?.settled === false ? Promise.reject(new Unsettled()) : Promise.resolve(target?.reference);
    };
    const deciding = new Deciding<LoadedEntry>({ model, find, newId: newIdOf, isDeleted: () => false, recordOf }, []);
    const { id, interaction } = entry.request;
    const identity = id !== undefined || interaction === 'delete' ? undefined : await deciding.of(entry);
    const fullUrl = fullUrlOf(entry);
    if (identity !== undefined && fullUrl !== undefined && targets.has(fullUrl))
      targets.set(fullUrl, { reference: `${identity.type}/${identity.id}`, settled: true });
    return loadEntry(context, entry, identity, {
      linked: one => deciding.linked(one),
      find,
      resource: one => this.#resolve(one),
    });
  }

  async #resolve(entry: LoadedEntry): Promise<Resolution | undefined> {
    const { base, model } = this.#context;
    const { targets, type } = this.#head;
    const resource = entry.resource();
    return (
      resource &&
      resolveLinks(resource.text, {
        targets,
        base,
        fullUrl: fullUrlOf(entry),
        model,
        root: `${entryPath(entry.index)}.resource`,
        strict: type === 'batch',
        find: (name, criteria) => this.#findReferenced(name, criteria),
      })
    );
  }

  async #find(type: string, pairs: readonly QueryPair[]): Promise<CriteriaMatch> {
    await this.#flush();
    return findByCriteria(this.#context, type, pairs, this.#context.partition);
  }

  /** What a conditional reference finds: a found record stays, a missing one may follow. */
  async #findReferenced(type: string, criteria: string): Promise<CriteriaMatch> {
    const key = `${type}?${criteria}`;
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = await matchBad(() => this.#find(type, parsePairs(criteria)));
    if (found.kind === 'one' && this.#found.size < 10_000) this.#found.set(key, found);
    return found;
  }
}

/** The criteria of an entry name one that is decided later. */
class Unsettled extends Error {}

const unsettled = 'Its criteria name an entry whose record is not known: load that one first.';
