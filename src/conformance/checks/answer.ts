import { asObject, asString, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { QueryPair } from '../../search/request.ts';
import type { Exchange } from '../client.ts';
import type { TestContext } from '../context.ts';
import type { Findings } from '../findings.ts';
import { codeOf, pairsOf, queryOf } from '../url.ts';
import { checkMediaType } from './media-type.ts';

/** An entry of a searchset. */
export interface AnswerEntry {
  readonly mode: string;
  readonly resource: JsonObject;
  readonly fullUrl: string | undefined;
}

/** The answer to a search, over its pages. */
export interface ServerAnswer {
  /** The first page. */
  readonly exchange: Exchange;
  /** False if the server refused the search. */
  readonly isAnswered: boolean;
  /** Whether a refusal says that the server could not answer at all. */
  readonly isBroken: boolean;
  readonly matches: readonly JsonObject[];
  readonly entries: readonly AnswerEntry[];
  readonly pages: number;
  /** True if the last page was read. */
  readonly isComplete: boolean;
  readonly total: number | undefined;
  /** Names in the self link. */
  readonly used: ReadonlySet<string>;
}

export interface AskOptions {
  readonly findings: Findings;
  readonly mostPages?: number;
  /** Sent as a form by POST. */
  readonly isPosted?: boolean;
  /** The path of the search below the base, if it is not that of the type. */
  readonly path?: string;
}

/** An answer with more pages is judged by what it has. */
const mostPages = 3;

/**
 * Searches, follows the next links, and checks what every searchset must have. https://hl7.org/fhir/R4/http.html#search
 */
export async function ask(
  context: TestContext,
  type: string,
  pairs: readonly QueryPair[],
  { findings, mostPages: most = mostPages, isPosted = false, path = type }: AskOptions,
): Promise<ServerAnswer> {
  const { client } = context;
  const query = queryOf(pairs);
  const subject = query === '' ? path : `${path}?${query}`;
  const first = isPosted
    ? await client.send('POST', `${path}/_search`, {
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: query,
      })
    : await client.get(subject);
  const isBundle = first.json?.['resourceType'] === 'Bundle';
  if (first.status !== 200 || !isBundle) return refusal(first, subject, findings);
  const entries: AnswerEntry[] = [];
  const visited = new Set<string>([first.url]);
  let page: Exchange | undefined = first;
  let pages = 0;
  while (page !== undefined) {
    pages += 1;
    checkPage(page, type, subject, context.client.base, findings);
    const found = entriesOf(page);
    checkCount(page, found, pairs, subject, findings);
    entries.push(...found);
    const next: string | undefined = linkOf(page, 'next');
    if (next === undefined || pages >= most) break;
    const target = new URL(next, `${client.base}/`).href;
    page = visited.has(target) ? undefined : await client.get(target);
    visited.add(target);
    if (page?.status === 200 && page.json?.['resourceType'] === 'Bundle') findings.pass('paging.link', type);
    else {
      const came = page === undefined ? 'A next link leads to a page that was already read' : statusOf(page);
      findings.fail('paging.link', subject, came, 'The next page of the search, or no next link', page ?? first);
      return answerOf(first, entries, pages, false);
    }
  }
  return checked(answerOf(first, entries, pages, page === undefined || linkOf(page, 'next') === undefined), {
    type,
    pairs,
    subject,
    findings,
  });
}

const statusOf = ({ status, failure }: Exchange): string => (failure === undefined ? `Status ${status}` : failure);

function refusal(exchange: Exchange, subject: string, findings: Findings): ServerAnswer {
  const isBroken = exchange.status < 400 || exchange.status >= 500;
  if (isBroken && exchange.status !== 501) {
    const isWrong = exchange.status === 200;
    const came = isWrong ? `Status 200 with ${describe(exchange)}` : statusOf(exchange);
    findings.fail('search.bundle', subject, came, 'Status 200 with a Bundle of type searchset', exchange);
  }
  const none = { matches: [], entries: [], pages: 0, isComplete: false, total: undefined, used: new Set<string>() };
  return { exchange, isAnswered: false, isBroken, ...none };
}

const describe = ({ json, headers }: Exchange): string =>
  typeof json?.['resourceType'] === 'string'
    ? `a resource of type ${json['resourceType']}`
    : `a body of type ${headers.get('Content-Type') ?? 'unknown'}`;

function answerOf(
  exchange: Exchange,
  entries: readonly AnswerEntry[],
  pages: number,
  isComplete: boolean,
): ServerAnswer {
  const { total } = exchange.json ?? {};
  const self = linkOf(exchange, 'self') ?? '';
  return {
    exchange,
    isAnswered: true,
    isBroken: false,
    entries,
    matches: entries.filter(({ mode }) => mode === 'match').map(({ resource }) => resource),
    pages,
    isComplete,
    total: typeof total === 'number' ? total : undefined,
    used: new Set(pairsOf(self, 'http://localhost').map(([name]) => codeOf(name))),
  };
}

interface AskedSearch {
  readonly type: string;
  readonly pairs: readonly QueryPair[];
  readonly subject: string;
  readonly findings: Findings;
}

/** Checks of all pages together. */
function checked(answer: ServerAnswer, { type, pairs, subject, findings }: AskedSearch): ServerAnswer {
  const { exchange, matches, total, used, isComplete } = answer;
  const ids = matches.map(({ id }) => String(id));
  const seen = new Set<string>();
  const repeated = ids.find(id => seen.size === seen.add(id).size);
  const came = `${type}/${String(repeated)} is in the answer more than once`;
  findings.decide(repeated === undefined, 'paging.once', subject, came, 'Each match once', exchange);
  const lost = pairs.map(([name]) => codeOf(name)).filter(name => !used.has(name) && !isControl.has(name));
  const shown = linkOf(exchange, 'self');
  findings.decide(
    lost.length === 0,
    'search.self',
    subject,
    shown === undefined ? 'There is no self link' : `The self link ${shown} lacks ${lost.join(', ')}`,
    'A self link with each parameter that was used; one that is not used is an error',
    exchange,
  );
  const isCounted = pairs.some(([name, value]) => name === '_summary' && value === 'count');
  const isEstimated = pairs.some(([name, value]) => name === '_total' && value === 'estimate');
  if (total !== undefined && isComplete && !isCounted && !isEstimated)
    findings.decide(
      total === new Set(ids).size,
      'search.total',
      subject,
      `\`total\` is ${total}, and all pages together have ${new Set(ids).size} matches`,
      'The number of matches',
      exchange,
    );
  return answer;
}

/** What shapes an answer need not be in the self link. */
const isControl: ReadonlySet<string> = new Set([
  '_count',
  '_total',
  '_format',
  '_summary',
  '_elements',
  '_sort',
  '_include',
  '_revinclude',
]);

function checkPage(page: Exchange, type: string, subject: string, base: string, findings: Findings): void {
  checkMediaType(page, subject, findings);
  const { type: kind } = page.json ?? {};
  const came = `Bundle.type is ${JSON.stringify(kind)}`;
  findings.decide(kind === 'searchset', 'search.bundle', subject, came, 'searchset', page);
  const named = ({ resource }: AnswerEntry): string => `${String(resource['resourceType'])}/${String(resource['id'])}`;
  const shown = entriesOf(page).filter(({ mode }) => mode !== 'outcome');
  const alien = shown.find(
    ({ mode, resource: { resourceType, id } }) => mode === 'match' && (resourceType !== type || typeof id !== 'string'),
  );
  const expected = `Matches are of type ${type} and have an id`;
  findings.decide(alien === undefined, 'search.entries', type, `A match is ${alien && named(alien)}`, expected, page);
  const isWrong = ({ fullUrl = 'urn:', ...entry }: AnswerEntry): boolean =>
    !fullUrl.startsWith('urn:') && !fullUrl.endsWith(`/${named({ ...entry, fullUrl })}`);
  const wrong = shown.find(isWrong);
  const at = wrong === undefined ? '' : `The fullUrl of ${named(wrong)} is ${wrong.fullUrl}`;
  const url = wrong === undefined ? '' : `${base}/${named(wrong)}`;
  findings.decide(wrong === undefined, 'search.full-url', type, at, url, page);
}

function checkCount(
  page: Exchange,
  found: readonly AnswerEntry[],
  pairs: readonly QueryPair[],
  subject: string,
  findings: Findings,
): void {
  const most = Number(pairs.find(([name]) => name === '_count')?.[1] ?? Number.NaN);
  if (Number.isNaN(most)) return;
  const matches = found.filter(({ mode }) => mode === 'match').length;
  const came = `A page has ${matches} matches`;
  findings.decide(matches <= most, 'search.count', subject, came, `At most ${most} matches`, page);
}

function entriesOf({ json = {} }: Exchange): readonly AnswerEntry[] {
  return objectsOf(json['entry']).map(entry => {
    const resource = asObject(entry['resource']);
    const isOutcome = resource['resourceType'] === 'OperationOutcome';
    const mode = asString(asObject(entry['search'])['mode']) ?? (isOutcome ? 'outcome' : 'match');
    return { resource, mode, fullUrl: asString(entry['fullUrl']) };
  });
}

/** The URL of a link of a Bundle. */
export function linkOf({ json = {} }: Exchange, relation: string): string | undefined {
  return asString(objectsOf(json['link']).find(link => link['relation'] === relation)?.['url']);
}
