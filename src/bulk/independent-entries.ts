import type { LoadContext } from '../interaction/write/context.ts';
import type { Addressing, BundleHead } from '../interaction/bundle/head.ts';
import { containerType } from '../interaction/bundle/container-type.ts';
import { maxDocument } from '../interaction/bundle/unit.ts';
import { type Outcome, jsonIssue } from '../interaction/write/loaded-record.ts';
import { type BundleScope, carryOut, settleEntry } from '../interaction/bundle/carry-out.ts';
import { type CriteriaMatch, findByCriteria } from '../interaction/bundle/criteria.ts';
import { type Entry, entryIssue, readEntry } from '../interaction/bundle/entry.ts';

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
  readonly #scope: BundleScope;

  constructor(context: LoadContext, head: BundleHead, addressing: Addressing, flush: () => Promise<void>) {
    this.#context = context;
    this.plain = head.type !== 'batch';
    const known = new Map<string, CriteriaMatch>();
    const find = async (type: string, criteria: string): Promise<CriteriaMatch> => {
      await flush();
      return findByCriteria(context, type, criteria);
    };
    this.#scope = {
      context,
      type: head.type,
      addressing,
      targets: head.targets,
      findExisting: find,
      recordOf: async url => {
        const target = head.targets.get(url);
        if (target?.settled === false) throw new Unsettled();
        return target?.reference;
      },
      // A found resource stays; a missing one may follow.
      async findReferenced(type, criteria) {
        const key = `${type}?${criteria}`;
        const found = known.get(key) ?? (await find(type, criteria));
        if (found.kind === 'one' && known.size < 10_000) known.set(key, found);
        return found;
      },
    };
  }

  /** Skips an entry that was loaded before. */
  pass(): void {
    this.#index++;
  }

  /** The outcome of the next entry; undefined if it was deferred. */
  async next(at: string, bytes: Uint8Array): Promise<Outcome | NestedBundle | undefined> {
    const { outcome, open } = await this.#carryOut(at, bytes, this.#index++);
    if (!open || this.#deferredBytes + bytes.length > maxDocument) return outcome;
    this.#deferredBytes += bytes.length;
    this.deferred.push({ at, bytes });
    return undefined;
  }

  /** The outcome of a deferred entry, after all others. */
  async again({ at, bytes }: Deferred): Promise<Outcome | NestedBundle> {
    const index = Number(at.slice(at.lastIndexOf(' ') + 1)) - 1;
    return (await this.#carryOut(at, bytes, index)).outcome;
  }

  async #carryOut(
    at: string,
    bytes: Uint8Array,
    index: number,
  ): Promise<{ readonly outcome: Outcome | NestedBundle; readonly open: boolean }> {
    let entry: Entry;
    try {
      entry = readEntry(this.#context, this.#scope.type, bytes, index);
    } catch (error) {
      return { outcome: { kind: 'reject', issues: [jsonIssue(error)] }, open: false };
    }
    const { resource, issues, value } = entry;
    if (this.plain && resource !== undefined && issues.length === 0 && containerType(value['resource']) !== undefined)
      return { outcome: { kind: 'bundle', bytes: Buffer.from(resource().text) }, open: false };
    try {
      return await carryOut(this.#scope, entry, await settleEntry(this.#scope, entry, at));
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error;
      return { outcome: { kind: 'reject', issues: [entryIssue(index, 'request', unsettled)] }, open: true };
    }
  }
}

/** The criteria of an entry name one that is decided later. */
class Unsettled extends Error {}

const unsettled = 'Its criteria name an entry whose record is not known: load that one first.';
