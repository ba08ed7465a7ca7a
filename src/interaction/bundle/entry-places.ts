import type { FhirError } from '../../fhir/error.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import type { BatchEntry } from './batch-entry.ts';
import { entryPath } from './entry.ts';

/** The parts of an entry that its errors name. */
export type PlacedEntry = Pick<BatchEntry, 'index' | 'value' | 'named'>;

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
