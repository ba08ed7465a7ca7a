import { asString } from '../../fhir/json-object.ts';
import { parseJson } from '../../fhir/json.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { parseSearch } from '../../search/parse/search.ts';
import type { QueryPair } from '../../search/request.ts';
import { withIndexed } from '../../search/with-indexed.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { matchBad, matchOf } from '../criteria.ts';
import type { CriteriaMatch } from '../criteria.ts';
import type { LoadContext } from '../write/context.ts';
import { notDeclared, readLoadedRecord } from '../write/loaded-record.ts';
import type { Outcome } from '../write/loaded-record.ts';
import { bodyWithContents, checkAround, entryIssue, entryPath, issuesOfEntry } from './entry.ts';
import type { BundleEntry } from './entry.ts';
import type { Addressing, BundleHead } from './head.ts';
import type { Identity, RequestEntry } from './identities.ts';
import { readLoadRequest } from './load-request.ts';
import type { LoadRequest } from './load-request.ts';
import type { Resolution } from './resolve.ts';
import type { StagedPartition } from './staged/staged-partition.ts';

/** An entry of a loaded Bundle, with its request. */
export interface LoadedEntry extends RequestEntry<LoadRequest> {
  /** Issues of the entry outside of its resource. */
  readonly issues: readonly Issue[];
}

/** The rejection of a record or an entry. */
export type Rejection = Extract<Outcome, { readonly kind: 'reject' }>;

/** An entry with its request; `at` is its place, from which a new id is made. Returns the rejection of one without. */
export function withLoadRequest(
  { model, base }: LoadContext,
  { type }: Pick<BundleHead, 'type'>,
  addressing: Pick<Addressing, 'newId'>,
  entry: BundleEntry,
  at: string,
): LoadedEntry | Rejection {
  const { value, named, index } = entry;
  const resource = named && { resourceType: named.type, id: named.id };
  const request = readLoadRequest({ ...value, resource }, type, base, () => addressing.newId(at));
  const issues = checkAround(model, type, entry);
  if (!('kind' in request)) return { ...entry, request, issues };
  return { kind: 'reject', issues: issues.length > 0 ? issues : [entryIssue(index, request.element, request.text)] };
}

/** The id of a record that an entry creates. */
export const newIdOf = ({ request: { newId = '' } }: LoadedEntry): string => newId;

/**
 * Searches by criteria, also by parameters that clients cannot use; first among the changed records of `staged`, if
 * that is given. https://hl7.org/fhir/R4/http.html#transaction
 */
export async function findByCriteria(
  { model, base, extract, now }: LoadContext,
  typeName: string,
  pairs: readonly QueryPair[],
  partition: Partition,
  staged?: StagedPartition,
): Promise<CriteriaMatch> {
  const type = model.types.get(typeName);
  if (type === undefined) return { kind: 'undeclared' };
  const { zone } = partition.settings;
  return matchBad(async () => {
    const { query } = parseSearch(withIndexed(type), pairs, { model, base, zone, handling: 'strict', now: now() });
    if (query.kind === 'all') return { kind: 'many' };
    const [id, other] = staged?.matchingIds(typeName, query) ?? [];
    if (id === undefined) return matchOf(type, { partition, extract, base }, () => query);
    return other === undefined ? { kind: 'one', id } : { kind: 'many' };
  });
}

/** The steps of a loaded entry that depend on the other entries of its Bundle. */
export interface LoadSteps {
  /** Its request with the records of others in its criteria. Throws FhirError 400. */
  readonly linked: (entry: LoadedEntry) => Promise<LoadRequest>;
  readonly find: (request: LoadRequest) => Promise<CriteriaMatch>;
  /** Its resource with its links resolved; undefined if it has none, or no links. */
  readonly resource: (entry: LoadedEntry) => Promise<Resolution | undefined>;
}

/**
 * The outcome of an entry that leads to a record, unless it deletes; `open` if it may succeed later.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export async function loadEntry(
  context: LoadContext,
  entry: LoadedEntry,
  identity: Identity | undefined,
  steps: LoadSteps,
): Promise<{ readonly outcome: Outcome; readonly open: boolean }> {
  const { request, index } = entry;
  const { interaction, resourceType: type, precondition } = request;
  const done = (outcome: Outcome) => ({ outcome, open: false });
  const remove = (id: string) => {
    const change = { kind: 'remove', type, id, ...(precondition && { precondition }) } as const;
    return done({ kind: 'change', change, contents: [], warnings: [] });
  };
  const excluded = exclusionOf(context, entry);
  if (excluded !== undefined) return done(excluded);
  let id = request.id ?? identity?.id ?? '';
  if (request.id === undefined) {
    const match = await matchBad(async () => {
      const linked = await steps.linked(entry);
      return identity?.match ?? steps.find(linked);
    });
    const refused = refusalOf(match, type, index, interaction === 'create' ? 'request.ifNoneExist' : 'request.url');
    if (refused !== undefined) return done(refused);
    if (match.kind === 'one') ({ id } = match);
    if (interaction === (match.kind === 'one' ? 'create' : 'delete')) return done({ kind: 'nothing' });
  }
  if (interaction === 'delete') return remove(id);
  const resource = entry.resource();
  if (resource === undefined)
    return done({ kind: 'reject', issues: [entryIssue(index, 'resource', 'The entry has no resource.')] });
  const { text = resource.text, issues = [], open = false } = (await steps.resource(entry)) ?? {};
  const parsed = text === resource.text ? resource.parsed : parseJson(text);
  const body = entry.contents.length === 0 ? undefined : bodyWithContents(context.model, entry, text);
  const outcome = await readLoadedRecord(context, { text, parsed, body }, { id: () => id, precondition });
  if (outcome.kind !== 'reject' && issues.length === 0) return { outcome, open };
  const own = outcome.kind === 'reject' ? issuesOfEntry(outcome.issues, entry) : [];
  return { outcome: { kind: 'reject', issues: [...own, ...issues] }, open: own.length === 0 && open };
}

/** Why an entry is not stored, whatever its resource; undefined if it is. */
function exclusionOf({ model, undeclared }: LoadContext, entry: LoadedEntry): Outcome | undefined {
  const {
    request: { resourceType, interaction, id },
    issues,
    named,
    index,
  } = entry;
  if (issues.length > 0) return { kind: 'reject', issues };
  if (model.types.has(resourceType)) return undefined;
  const reject = (element: string, text: string, code?: Issue['code']): Outcome => ({
    kind: 'reject',
    issues: [entryIssue(index, element, text, code)],
  });
  if (named?.container !== undefined) {
    const text = 'The entry is a Bundle, which is not stored here: load its content as a separate file.';
    return reject('resource', text, 'not-supported');
  }
  if (model.definitions.resourceTypes.has(resourceType)) {
    if (undeclared === 'skip') return { kind: 'skip', type: resourceType };
    return { kind: 'reject', issues: [{ ...notDeclared(resourceType), expression: entryPath(index) }] };
  }
  return interaction === 'delete' && id !== undefined
    ? reject('request.url', `\`${resourceType}\` is not a resource type of R4.`)
    : undefined;
}

/** Why the criteria of an entry do not decide its record; undefined if they do. */
function refusalOf(match: CriteriaMatch, type: string, index: number, element: string): Outcome | undefined {
  const reject = (text: string, code: Issue['code']): Outcome => ({
    kind: 'reject',
    issues: [entryIssue(index, element, text, code)],
  });
  switch (match.kind) {
    case 'bad':
      return { kind: 'reject', issues: match.issues.map(({ text, code }) => entryIssue(index, element, text, code)) };
    case 'many':
      return reject('The criteria match more than one resource.', 'multiple-matches');
    case 'undeclared':
      return reject(`\`${type}\` is not a type that can be stored.`, 'not-supported');
    case 'none':
    case 'one':
      return undefined;
    default:
      return match satisfies never;
  }
}

/** The fullUrl of an entry. */
export const fullUrlOf = ({ value }: BundleEntry): string | undefined => asString(value['fullUrl']);
