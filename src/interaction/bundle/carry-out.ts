import { isStoredElsewhere } from '../../auth/referable.ts';
import { FhirError } from '../../fhir/error.ts';
import { parseJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parsePairs } from '../../search/parse/pairs.ts';
import type { LoadContext } from '../write/context.ts';
import type { Addressing, Targets } from './head.ts';
import { containerType, type ContainerType } from './container-type.ts';
import { type Outcome, notDeclared, readLoadedRecord } from '../write/loaded-record.ts';
import { linkPairs, printPairs } from './criteria-links.ts';
import type { RecordOf } from './criteria-links.ts';
import type { CriteriaMatch } from './criteria.ts';
import { type Entry, entryIssue, entryPath, issuesOfEntry } from './entry.ts';
import { type Plan, planEntry } from './plan.ts';
import { createLinkPlaces } from './link-places.ts';
import { resolveLinks } from './resolve.ts';

/** The context of a Bundle's entries. */
export interface BundleScope {
  readonly context: LoadContext;
  readonly type: ContainerType;
  readonly addressing: Addressing;
  /** Settled when conditional creates and updates are decided. */
  readonly targets: Targets;
  /** Finds the targets of conditional references, and those of conditional requests. */
  readonly findReferenced: (type: string, criteria: string) => Promise<CriteriaMatch>;
  readonly findExisting: (type: string, criteria: string) => Promise<CriteriaMatch>;
  /**
   * The record of an entry as `Type/id`, by its fullUrl; undefined if no entry has it. Throws FhirError 400 for an
   * entry that waits for this one.
   */
  readonly recordOf: RecordOf;
}

/** The decision about an entry's destination. */
export type Settled =
  | Extract<Plan, { kind: 'put' | 'remove' }>
  | { readonly kind: 'nothing' }
  | { readonly kind: 'skip'; readonly type: string }
  | { readonly kind: 'reject'; readonly issues: readonly Issue[] };

/**
 * Decides the request of an entry; conditional requests search the store. https://hl7.org/fhir/R4/http.html#transaction
 */
export async function settleEntry(scope: BundleScope, entry: Entry, at: string): Promise<Settled> {
  const plan = planEntry(entry.value, scope.type, scope.context.base, () => scope.addressing.newId(at));
  const reject = (element: string, text: string, code?: Issue['code']): Settled => ({
    kind: 'reject',
    issues: [entryIssue(entry.index, element, text, code)],
  });
  if (plan.kind === 'problem') return reject(plan.element, plan.text);
  const { undeclared, model } = scope.context;
  if (!model.types.has(plan.type) && containerType(entry.value['resource']) !== undefined) {
    const text = 'The entry is a Bundle, which is not stored here: load its content as a separate file.';
    return reject('resource', text, 'not-supported');
  }
  if (!model.types.has(plan.type) && model.definitions.resourceTypes.has(plan.type)) {
    if (plan.kind !== 'delete' && plan.kind !== 'remove') settle(scope, entry, plan.type, plan.id);
    if (undeclared === 'skip') return { kind: 'skip', type: plan.type };
    return { kind: 'reject', issues: [{ ...notDeclared(plan.type), expression: `Bundle.entry[${entry.index}]` }] };
  }
  if (plan.kind === 'remove' && !model.types.has(plan.type)) {
    return reject('request.url', `\`${plan.type}\` is not a resource type of R4.`);
  }
  if (plan.kind === 'put' || plan.kind === 'remove') return plan;

  const element = plan.kind === 'create' ? 'request.ifNoneExist' : 'request.url';
  const found = await linkedMatch(scope.findExisting, scope, plan, entry.fullUrl);
  switch (found.kind) {
    case 'bad':
      return {
        kind: 'reject',
        issues: found.issues.map(issue => entryIssue(entry.index, element, issue.text, issue.code)),
      };
    case 'many':
      return reject(element, 'The criteria match more than one resource.', 'multiple-matches');
    case 'undeclared':
      return reject(element, `\`${plan.type}\` is not a type that can be stored.`, 'not-supported');
    case 'none':
      if (plan.kind === 'delete') return { kind: 'nothing' };
      settle(scope, entry, plan.type, plan.id);
      return { kind: 'put', type: plan.type, id: plan.id };
    case 'one':
      if (plan.kind === 'delete') return { kind: 'remove', type: plan.type, id: found.id };
      settle(scope, entry, plan.type, found.id);
      return plan.kind === 'create' ? { kind: 'nothing' } : { kind: 'put', type: plan.type, id: found.id };
    default:
      return found satisfies never;
  }
}

/** What criteria find, with the records of other entries in them. https://hl7.org/fhir/R4/http.html#trules */
export async function linkedMatch(
  find: BundleScope['findExisting'],
  { context: { model }, recordOf }: Pick<BundleScope, 'context' | 'recordOf'>,
  { type, criteria }: { readonly type: string; readonly criteria: string },
  fullUrl: string | undefined,
): Promise<CriteriaMatch> {
  try {
    const pairs = parsePairs(criteria);
    const linked = await linkPairs(pairs, { model, type, fullUrl, recordOf });
    return find(type, linked === pairs ? criteria : printPairs(linked));
  } catch (error) {
    if (error instanceof FhirError) return { kind: 'bad', issues: error.issues };
    throw error;
  }
}

function settle(scope: BundleScope, entry: Entry, type: string, id: string): void {
  if (entry.fullUrl !== undefined && scope.targets.has(entry.fullUrl)) {
    scope.targets.set(entry.fullUrl, { reference: `${type}/${id}`, settled: true });
  }
}

/** The outcome of a settled entry, with its links resolved; `open` if it may succeed later. */
export async function carryOut(
  scope: BundleScope,
  entry: Entry,
  settled: Settled,
): Promise<{ readonly outcome: Outcome; readonly open: boolean }> {
  const done = (outcome: Outcome): { outcome: Outcome; open: boolean } => ({ outcome, open: false });
  if (entry.issues.length > 0) return done({ kind: 'reject', issues: entry.issues });
  if (settled.kind === 'remove') return done({ kind: 'change', change: settled, contents: [], warnings: [] });
  if (settled.kind !== 'put') return done(settled);
  if (entry.resource === undefined) {
    return done({ kind: 'reject', issues: [entryIssue(entry.index, 'resource', 'The entry has no resource.')] });
  }
  const { text, parsed } = entry.resource();
  const links = await resolveLinks(text, {
    targets: scope.targets,
    base: scope.context.base,
    fullUrl: entry.fullUrl,
    definitions: scope.context.model.definitions,
    placeOf: createLinkPlaces(scope.context.model, `${entryPath(entry.index)}.resource`, () => parsed.value),
    strict: scope.type === 'batch' || scope.type === 'transaction',
    find: scope.findReferenced,
    elsewhere: name => {
      const type = scope.context.model.types.get(name);
      return type !== undefined && isStoredElsewhere(type);
    },
  });
  const resolved = links.text === text ? parsed : parseJson(links.text);
  const { id, precondition } = settled;
  const outcome = await readLoadedRecord(scope.context, links.text, resolved, { id: () => id, precondition });
  if (outcome.kind === 'reject' || links.issues.length > 0) {
    const own = outcome.kind === 'reject' ? issuesOfEntry(outcome.issues, entry) : [];
    return { outcome: { kind: 'reject', issues: [...own, ...links.issues] }, open: own.length === 0 && links.open };
  }
  return { outcome, open: links.open };
}
