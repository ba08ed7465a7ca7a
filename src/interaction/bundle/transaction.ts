import type { Issue } from '../../fhir/outcome.ts';
import type { Indexed } from '../../search/matches.ts';
import { checkStructure } from '../../validation/structure.ts';
import type { LoadContext } from '../write/context.ts';
import type { Addressing, BundleHead } from './head.ts';
import { type CheckedChange, jsonIssue } from '../write/loaded-record.ts';
import { type BundleScope, type Settled, carryOut, settleEntry } from './carry-out.ts';
import { findByCriteria } from './criteria.ts';
import { type Entry, entryIssue, readEntry } from './entry.ts';

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
  for (const [index, bytes] of texts.entries()) {
    try {
      entries.push(readEntry(context, head.type, bytes, index));
    } catch (error) {
      issues.push({ ...jsonIssue(error), expression: `Bundle.entry[${index}]` });
    }
  }
  if (issues.length > 0) return { kind: 'reject', issues };

  const settled = new Map<Entry, Settled>();
  const sameBundle = candidates(context, settled);
  const scope: BundleScope = {
    context,
    type: head.type,
    addressing,
    targets: head.targets,
    findReferenced: remembered((type, criteria) => findByCriteria(context, type, criteria, sameBundle(type))),
    findExisting: remembered((type, criteria) => findByCriteria(context, type, criteria)),
  };
  for (const entry of entries) settled.set(entry, await settleEntry(scope, entry, `entry ${entry.index + 1}`));

  const changes: CheckedChange[] = [];
  const skipped: string[] = [];
  const keys = new Set<string>();
  let nothing = 0;
  for (const [entry, way] of settled) {
    const { outcome } = await carryOut(scope, entry, way);
    if (outcome.kind === 'reject') issues.push(...outcome.issues);
    else if (outcome.kind === 'skip') skipped.push(outcome.type);
    else if (outcome.kind === 'nothing') nothing++;
    else {
      const key = `${outcome.change.type}/${outcome.change.id}`;
      if (keys.has(key)) {
        issues.push(entryIssue(entry.index, 'request', `\`${key}\` is repeated in the transaction.`, 'duplicate'));
      }
      keys.add(key);
      changes.push(outcome);
    }
  }
  return issues.length > 0 ? { kind: 'reject', issues } : { kind: 'changes', changes, skipped, nothing };
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
    for (const [{ resource }, way] of settled) {
      if (way.kind !== 'put' || way.type !== name || resource === undefined) continue;
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
