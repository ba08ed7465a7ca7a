import type { Issue } from '../../fhir/outcome.ts';
import type { Indexed } from '../../search/matches.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { LoadContext } from '../write/context.ts';
import type { Addressing, BundleHead } from './head.ts';
import { type CheckedChange, jsonIssue } from '../write/loaded-record.ts';
import { type BundleScope, type Settled, carryOut, linkedMatch, settleEntry } from './carry-out.ts';
import { inCircle } from './criteria-links.ts';
import type { RecordOf } from './criteria-links.ts';
import { findByCriteria } from './criteria.ts';
import { type Entry, entryIssue, readEntry, readLargeEntry } from './entry.ts';
import { mostKept, ownParts } from './own-copy.ts';

/** The result of a transaction. */
export type TransactionOutcome =
  | {
      readonly kind: 'changes';
      readonly changes: readonly CheckedChange[];
      /** Undeclared types of the skipped entries. */
      readonly skipped: readonly string[];
      /** Number of entries that change nothing. */
      readonly nothing: number;
    }
  | { readonly kind: 'reject'; readonly issues: readonly Issue[] };

/**
 * The changes of a transaction, to be written together, or all issues of its entries. Conditional references search the
 * Bundle first and then the store. https://hl7.org/fhir/R4/http.html#transaction
 */
export async function planTransaction(
  context: LoadContext,
  head: BundleHead,
  texts: readonly Uint8Array[],
  addressing: Addressing,
): Promise<TransactionOutcome> {
  const issues: Issue[] = [];
  const entries: Entry[] = [];
  const isLarge = texts.reduce((sum, { length }) => sum + length, 0) > mostKept;
  const read = isLarge ? readLargeEntry : readEntry;
  for (const [index, bytes] of texts.entries()) {
    try {
      entries.push(read(context, head.type, bytes, index));
    } catch (error) {
      issues.push({ ...jsonIssue(error), expression: `Bundle.entry[${index}]` });
    }
  }
  if (issues.length > 0) return { kind: 'reject', issues };

  const settled = new Map<Entry, Settled>();
  const sameBundle = candidates(context, settled);
  const byUrl = new Map(entries.map(entry => [entry.fullUrl, entry]));
  const settling = new Set<Entry>();
  /** Settles an entry, after those that its criteria name. */
  const settle = async (entry: Entry): Promise<Settled> => {
    const known = settled.get(entry);
    if (known !== undefined) return known;
    if (settling.has(entry)) throw inCircle();
    settling.add(entry);
    const way = await settleEntry(scope, entry, `entry ${entry.index + 1}`);
    settling.delete(entry);
    settled.set(entry, way);
    return way;
  };
  const recordOf: RecordOf = async url => {
    const entry = byUrl.get(url);
    const way = entry && (await settle(entry));
    return way?.kind === 'put' ? `${way.type}/${way.id}` : head.targets.get(url)?.reference;
  };
  const findReferenced: BundleScope['findReferenced'] = (type, criteria) =>
    linkedMatch(
      (_, linked) => findByCriteria(context, type, linked, sameBundle(type)),
      { context, recordOf },
      { type, criteria },
      undefined,
    );
  const scope: BundleScope = {
    context,
    type: head.type,
    addressing,
    targets: head.targets,
    findReferenced: remembered(findReferenced),
    findExisting: remembered((type, criteria) => findByCriteria(context, type, criteria)),
    recordOf,
  };
  for (const entry of entries) await settle(entry);

  const changes: CheckedChange[] = [];
  const skipped: string[] = [];
  const keys = new Set<string>();
  let nothing = 0;
  for (const entry of entries) {
    const { outcome } = await carryOut(scope, entry, await settle(entry));
    if (outcome.kind === 'reject') issues.push(...outcome.issues);
    else if (outcome.kind === 'skip') skipped.push(outcome.type);
    else if (outcome.kind === 'nothing') nothing++;
    else {
      const key = `${outcome.change.type}/${outcome.change.id}`;
      if (keys.has(key)) {
        issues.push(entryIssue(entry.index, 'request', `\`${key}\` is repeated in the transaction.`, 'duplicate'));
      }
      keys.add(key);
      changes.push(isLarge ? shortened(outcome) : outcome);
    }
  }
  return issues.length > 0 ? { kind: 'reject', issues } : { kind: 'changes', changes, skipped, nothing };
}

/** A change of a large Bundle without its parsed value, which is made again when it is written. */
function shortened(checked: CheckedChange): CheckedChange {
  const { change } = checked;
  if (change.kind !== 'put') return checked;
  return { ...checked, change: { ...change, text: ownParts(change.text), parsed: undefined } };
}

/** Index entries of the resources that the Bundle puts, by type; extracted at their first use. */
function candidates(context: LoadContext, settled: ReadonlyMap<Entry, Settled>): (type: string) => readonly Indexed[] {
  const kept = new Map<string, readonly Indexed[]>();
  const { model, partition, extract } = context;
  const zoned = { id: partition.id, zone: partition.settings.zone };
  const read = (name: string): readonly Indexed[] => {
    const type = model.types.get(name);
    if (type === undefined) return [];
    const found: Indexed[] = [];
    for (const [entry, way] of settled) {
      if (way.kind !== 'put' || way.type !== name) continue;
      const resource = entry.resource?.();
      if (resource === undefined) continue;
      // Errors are reported when the entry is processed; index entries need a valid resource.
      if (checkStructure(resource.parsed.value, model, name).length > 0) continue;
      const entries = extract(type, resource.text, zoned, resource.parsed);
      found.push({ id: way.id, lastUpdated: context.now(), entries });
    }
    return found;
  };
  return name => {
    let found = kept.get(name);
    if (found === undefined) kept.set(name, (found = read(name)));
    return found;
  };
}

/** Caches results within one transaction. */
function remembered<T>(find: (type: string, criteria: string) => Promise<T>): typeof find {
  const answers = new Map<string, Promise<T>>();
  return (type, criteria) => {
    const key = `${type}?${criteria}`;
    let answer = answers.get(key);
    if (answer === undefined) answers.set(key, (answer = find(type, criteria)));
    return answer;
  };
}
