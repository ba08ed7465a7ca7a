import { FhirError } from '../../fhir/error.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { VersionConflict } from '../../store/port/errors.ts';
import type { Requirement } from '../../store/port/records.ts';
import { commit } from '../write/commit.ts';
import type { CarryingChange, LoadContext } from '../write/context.ts';
import { jsonIssue } from '../write/loaded-record.ts';
import type { Outcome } from '../write/loaded-record.ts';
import { cutEntry, entryPath, mostKept, readEntry } from './entry.ts';
import type { BundleEntry } from './entry.ts';
import type { Addressing, BundleHead } from './head.ts';
import type { Identity } from './identities.ts';
import { findByCriteria, loadEntry, newIdOf, withLoadRequest } from './load-entry.ts';
import type { LoadedEntry, Rejection } from './load-entry.ts';
import type { LoadRequest } from './load-request.ts';
import { StagedEntries } from './stage-entries.ts';
import { writeOfStaged } from './staged/write-staged.ts';

/** The result of a transaction. */
export type TransactionOutcome =
  | {
      readonly kind: 'changes';
      readonly changes: readonly CarryingChange[];
      /** What their write requires. */
      readonly requires: readonly Requirement[];
      /** The findings that reject no entry, by entry. */
      readonly warnings: readonly (readonly Issue[])[];
      /** Undeclared types of the skipped entries. */
      readonly skipped: readonly string[];
      /** Number of entries that change nothing. */
      readonly nothing: number;
    }
  | Rejection;

/**
 * Carries out the entries of a loaded transaction up to its write, or returns all issues of its entries. Conditional
 * references search the Bundle first and then the store. Its write fails if the store has changed meanwhile: then it is
 * planned again. https://hl7.org/fhir/R4/http.html#transaction
 */
export async function planTransaction(
  context: LoadContext,
  head: BundleHead,
  texts: readonly Uint8Array[],
  addressing: Addressing,
): Promise<TransactionOutcome> {
  const { model, extract, partition, base, now } = context;
  const issues = new Map<number, readonly Issue[]>();
  const isSmall = texts.reduce((sum, { length }) => sum + length, 0) <= mostKept;
  const read = texts.flatMap((bytes, index) => {
    try {
      return [readEntry(cutEntry(model, bytes), index, isSmall)];
    } catch (error) {
      const [issue] = error instanceof FhirError ? error.issues : [jsonIssue(error)];
      if (issue !== undefined) issues.set(index, [{ ...issue, expression: entryPath(index) }]);
      return [];
    }
  });
  if (issues.size > 0) return rejection(issues);
  const entries: LoadedEntry[] = [];
  for (const entry of read) {
    const planned = withLoadRequest(context, head, addressing, entry, `entry ${entry.index + 1}`);
    if ('kind' in planned) issues.set(entry.index, planned.issues);
    else entries.push(planned);
  }
  const warnings: (readonly Issue[])[] = [];
  const contents = new Map<string, CarryingChange['contents']>();
  const skipped: string[] = [];
  let nothing = 0;
  const staged: StagedEntries<LoadedEntry> = new StagedEntries({
    model,
    extract,
    now,
    partition,
    storesAttachments: false, // of a rejected transaction none are stored
    base,
    targets: head.targets,
    find: ({ resourceType, parameters }, place) => findByCriteria(context, resourceType, parameters, place),
    findReferenced: (ended, type, pairs) => findByCriteria(context, type, pairs, ended, ended),
    newId: newIdOf,
    turn: () => Promise.resolve(),
    carryOut: async (entry, identity) => {
      const { outcome } = await loadEntry(context, entry, identity, steps);
      await stage(entry, identity, outcome);
    },
    fail,
  });
  const steps = {
    linked: (entry: LoadedEntry) => staged.linked(entry),
    find: ({ resourceType, parameters }: LoadRequest) =>
      findByCriteria(context, resourceType, parameters, staged.partition),
    resource: (entry: LoadedEntry) => staged.resource(entry),
  };
  await staged.carryOut(entries);
  if (issues.size > 0) return rejection(issues);
  const { changes, requires } = writeOfStaged(staged.partition);
  const carrying = changes.map(({ change }) => ({
    change,
    contents: contents.get(`${change.type}/${change.id}`) ?? [],
  }));
  return { kind: 'changes', changes: carrying, requires, warnings, skipped, nothing };

  async function stage(entry: LoadedEntry, identity: Identity | undefined, outcome: Outcome): Promise<void> {
    switch (outcome.kind) {
      case 'reject':
        issues.set(entry.index, outcome.issues);
        return;
      case 'skip':
        skipped.push(outcome.type);
        return;
      case 'nothing':
        nothing += 1;
        return;
      case 'change': {
        // Another entry creates it by the same criteria.
        const { interaction, resourceType } = entry.request;
        const isCreated = interaction === 'create' && staged.partition.has(resourceType, identity?.id ?? '');
        try {
          const [result] = isCreated ? [] : await commit(staged.partition, [outcome], {});
          if (result === undefined || result.outcome === 'unchanged') nothing += 1;
          warnings.push(outcome.warnings);
          if (outcome.contents.length > 0)
            contents.set(`${outcome.change.type}/${outcome.change.id}`, outcome.contents);
        } catch (error) {
          fail(entry, error);
        }
        return;
      }
      default:
        outcome satisfies never;
    }
  }

  function fail({ index }: BundleEntry, error: unknown): void {
    if (error instanceof VersionConflict) issues.set(index, [conflict]);
    else if (error instanceof FhirError)
      issues.set(
        index,
        error.issues.map(issue => ({ ...issue, expression: `${entryPath(index)}.request` })),
      );
    else throw error;
  }
}

const rejection = (issues: ReadonlyMap<number, readonly Issue[]>): Rejection => ({
  kind: 'reject',
  issues: [...issues].toSorted(([a], [b]) => a - b).flatMap(([, ofEntry]) => ofEntry),
});

/** The precondition of an entry does not hold. */
export const conflict: Issue = {
  severity: 'error',
  code: 'conflict',
  text: 'The resource is not at the version that `request.ifMatch` or `request.ifNoneMatch` expects.',
};
