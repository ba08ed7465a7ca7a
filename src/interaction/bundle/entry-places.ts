import { FhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { limitIssues } from '../../validation/report.ts';
import { storeFailure } from '../answer-of.ts';
import { mostIssues } from '../write/client-context.ts';
import { entryPath } from './entry.ts';
import type { BundleEntry, NamedResource } from './entry.ts';

/** The errors of the entries of a transaction. */
export class EntryFailures {
  readonly #failures = new Map<number, FhirError>();
  /** The number of their issues. */
  #count = 0;

  /** Whether an entry has failed. */
  has({ index }: PlacedEntry): boolean {
    return this.#failures.has(index);
  }

  /**
   * Remembers what an entry has failed for. Throws it if the other entries cannot be expected to work: for errors of
   * the server, and for others than FhirError.
   */
  add(entry: PlacedEntry, error: unknown): void {
    const failure = error instanceof FhirError ? error : storeFailure(error);
    if (failure === undefined) throw error;
    const issues = placedInBundle(entry, failure);
    // Beyond the number that is listed, one for each entry, since an earlier one may still fail.
    const placed = new FhirError(
      failure.status,
      this.#count > mostIssues ? issues.slice(0, 1) : issues,
      failure.headers,
    );
    if (failure.status >= 500) throw placed;
    if (this.has(entry)) return;
    this.#failures.set(entry.index, placed);
    this.#count += placed.issues.length;
  }

  /** Calls a function, and adds what it throws. */
  during(entry: PlacedEntry, work: () => unknown): void {
    try {
      work();
    } catch (error) {
      this.add(entry, error);
    }
  }

  /** Throws a FhirError with the issues of all failed entries, in their order, and the status of the first. */
  throw(): void {
    const failures = [...this.#failures].toSorted(([a], [b]) => a - b).map(([, failure]) => failure);
    const [first] = failures;
    if (first === undefined) return;
    const issues = failures.flatMap(failure => failure.issues);
    throw new FhirError(first.status, limitIssues(issues, mostIssues), first.headers);
  }
}

/** The parts of an entry that its errors name. */
export type PlacedEntry = Pick<BundleEntry, 'index' | 'value'> & {
  readonly named: Pick<NamedResource, 'type'> | undefined;
};

/**
 * The issues of the separate request of an entry, with their places in the Bundle: `Patient.name` is in the resource of
 * the entry, `http."If-Match"` in its request. A record that a patch makes is not in the Bundle: the issue names the
 * patch, and its text the element.
 * https://hl7.org/fhir/R4/operationoutcome-definitions.html#OperationOutcome.issue.expression
 */
export function placedInBundle(entry: PlacedEntry, { status, issues }: FhirError): readonly Issue[] {
  return issues.map(issue => ({
    ...issue,
    text: isPatched(entry, issue) ? `${issue.text} In the patched record: \`${issue.expression}\`.` : issue.text,
    expression: placeOf(entry, status, issue),
  }));
}

function placeOf(entry: PlacedEntry, status: number, issue: Issue): string {
  const path = entryPath(entry.index);
  const { expression } = issue;
  // The token is that of the whole Bundle.
  if (expression === undefined || expression === 'http.Authorization') return path + withoutPlace(status, issue);
  if (expression === path || expression.startsWith(`${path}.`)) return expression;
  if (expression.startsWith('http.')) return path + (elementOf[expression] ?? ofParameter(entry, expression));
  const type = typeOf(entry);
  if (isPatch(entry)) return `${path}.resource${inPatch(type, expression)}`;
  if (expression === 'resourceType') return `${path}.resource.resourceType`;
  const isInside = expression === type || expression.startsWith(`${type}.`);
  return isInside ? `${path}.resource${expression.slice(type.length)}` : path;
}

/** The element of the resource of a patch: a Binary has its document in `data`. */
function inPatch(type: string, expression: string): string {
  if (type === 'Binary') return isOfDocument(expression) ? '.data' : '';
  if (expression === 'resourceType') return '.resourceType';
  return isOfDocument(expression) ? expression.slice(type.length) : '';
}

/** The elements that headers of a separate request correspond to. */
const elementOf: Readonly<Record<string, string>> = {
  'http."If-None-Exist"': '.request.ifNoneExist',
  'http."If-Match"': '.request.ifMatch',
  'http."If-None-Match"': '.request.ifNoneMatch',
};

/** The element of a parameter: of a search, of criteria, or of an operation, which may be in its resource. */
function ofParameter({ value: { request }, named }: PlacedEntry, expression: string): string {
  const { method, url, ifNoneExist } = isObject(request) ? request : {};
  if (ifNoneExist !== undefined) return '.request.ifNoneExist';
  const [path = '', query = ''] = String(url).split('?');
  const isGiven = query.split('&').some(pair => pair.split('=')[0] === expression.slice('http.'.length));
  const mayBeBody = method === 'POST' && path.includes('$') && !isGiven;
  return mayBeBody && (named !== undefined || expression === 'http.body') ? '.resource' : '.request.url';
}

/** The element that an issue without a place is about: mostly what the URL leads to. */
function withoutPlace(status: number, { code }: Issue): string {
  if (status === 405) return '.request.method';
  if (status === 413) return '.resource';
  return ofUrl.has(status) && code !== 'duplicate' ? '.request.url' : '';
}

const ofUrl: ReadonlySet<number> = new Set([400, 404, 410, 412]);

const isPatch = ({ value: { request } }: PlacedEntry): boolean => isObject(request) && request['method'] === 'PATCH';

const typeOf = ({ named }: PlacedEntry): string => named?.type ?? '';

/** Whether an issue of a patch is about its document, not about the record that it makes. */
const isOfDocument = (expression: string): boolean =>
  /^(?:\$this|Parameters|resourceType)(?![A-Za-z])/.test(expression);

const isPatched = (entry: PlacedEntry, { expression }: Issue): boolean =>
  isPatch(entry) &&
  expression !== undefined &&
  !/^(?:http|Bundle\.entry)\b/.test(expression) &&
  !isOfDocument(expression);
