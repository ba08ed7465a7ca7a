import type { JsonObject } from '../../fhir/json-object.ts';
import type { Case } from '../cases/case.ts';
import { sampleOf } from '../context.ts';
import type { TestContext } from '../context.ts';
import { Findings } from '../findings.ts';
import { meaningOf } from '../judge.ts';
import type { Meaning } from '../judge.ts';
import type { Known } from '../records.ts';
import { queryOf } from '../url.ts';
import { ask } from './answer.ts';
import type { ServerAnswer } from './answer.ts';
import { checkOutcome } from './media-type.ts';

export interface CaseOptions {
  readonly isPosted?: boolean;
  /** Whether "does not match" is certain for a record of the answer; the targets of its chain must be known. */
  readonly canJudge?: (known: Known) => Promise<boolean>;
}

/**
 * Runs a derived search and compares its answer with its meaning. A failure is reported if it comes twice, so that a
 * record that was changed meanwhile is none.
 */
export async function runCase(context: TestContext, type: string, one: Case, options: CaseOptions = {}): Promise<void> {
  const first = new Findings();
  await attempt(context, type, one, options, first);
  const second = new Findings();
  if (first.count('fail') > 0) await attempt(context, type, one, options, second);
  const confirmed = first.count('fail') > 0 ? second : first;
  for (const finding of confirmed.all) {
    const { check, result, subject, came, expected, exchange } = finding;
    if (result === 'fail') context.findings.fail(check, subject, came, expected, exchange);
    else context.findings.all.push(finding);
  }
}

async function attempt(
  context: TestContext,
  type: string,
  one: Case,
  options: CaseOptions,
  findings: Findings,
): Promise<void> {
  const { check, pairs } = one;
  const subject = `${type}?${queryOf(pairs)}`;
  const { isPosted = false } = options;
  const answer = await ask(context, type, pairs.concat([['_count', '200']]), { findings, isPosted });
  if (!answer.isAnswered) {
    refused(answer, one, subject, findings);
    return;
  }
  findings.pass('search.accepted', subject);
  const definition = context.model.types.get(type);
  const { model, records, client } = context;
  const meaning =
    definition === undefined
      ? undefined
      : meaningOf(definition, one.alternatives, { model, records, base: client.base });
  if (meaning === undefined) findings.open(check, subject, 'This tester does not know the meaning of the search');
  else await compare(context, { type, one, options, findings, subject, meaning, answer });
}

function refused(
  { exchange, isBroken }: ServerAnswer,
  { optional, check }: Case,
  subject: string,
  findings: Findings,
): void {
  if (isBroken) return; // which is a failure already, or 501
  checkOutcome(exchange, subject, findings);
  const came = `Status ${exchange.status}`;
  if (optional) findings.open(check, subject, `Not offered: ${came}`);
  else findings.fail('search.accepted', subject, came, 'Status 200: the parameter is declared', exchange);
}

interface Compared {
  readonly type: string;
  readonly one: Case;
  readonly options: CaseOptions;
  readonly findings: Findings;
  readonly subject: string;
  readonly meaning: Meaning;
  readonly answer: ServerAnswer;
}

/** Matches that are no match are certain extras; matching records of the sample that are absent, certain misses. */
async function compare(context: TestContext, compared: Compared): Promise<void> {
  const { type, one, options, findings, subject, meaning, answer } = compared;
  const { exchange, matches, isComplete } = answer;
  const found = new Set(matches.map(({ id }) => String(id)));
  const extras: string[] = [];
  for (const resource of matches) {
    if (one.mayFindMore || resource['resourceType'] !== type) continue;
    if (await isExtra(context, resource, meaning, options)) extras.push(`${type}/${String(resource['id'])}`);
  }
  const absent = sampleOf(context, type).filter(known => !found.has(known.id) && meaning.verdict(known) === 'yes');
  const isJudged = isComplete || (await addAbsent(context, compared, absent, found));
  const misses: string[] = [];
  for (const known of isJudged ? absent.filter(({ id }) => !found.has(id)) : []) {
    const present = misses.length < 3 ? await readAgain(context, known) : known;
    if (present !== undefined && meaning.verdict(present) === 'yes') misses.push(`${type}/${known.id}`);
  }
  const wrong = [
    ...(misses.length === 0 ? [] : [`Certain misses: ${listed(misses)}`]),
    ...(extras.length === 0 ? [] : [`Certain extras: ${listed(extras)}`]),
  ];
  const came = `${wrong.join('. ')}. The answer has ${matches.length} matches`;
  const expected = 'All records that match, and no others';
  if (wrong.length > 0) findings.fail(one.check, subject, came, expected, exchange);
  else if (isJudged) findings.pass(one.check, subject);
  else findings.open(one.check, subject, `${answer.pages} pages were read, of more`);
}

/** Asks for the absent records by their ids too, where an answer has too many pages; false if that is not possible. */
async function addAbsent(
  context: TestContext,
  { type, one: { pairs }, findings }: Compared,
  absent: readonly Known[],
  found: Set<string>,
): Promise<boolean> {
  if (absent.length === 0) return true;
  const hasId = context.statement.types.get(type)?.parameters.some(({ name }) => name === '_id') === true;
  if (!hasId || pairs.some(([name]) => name === '_id')) return false;
  const ids = absent.map(({ id }) => id).join(',');
  const answer = await ask(context, type, [...pairs, ['_id', ids], ['_count', '200']], { findings });
  for (const { id } of answer.matches) found.add(String(id));
  return answer.isComplete;
}

async function isExtra(
  { records }: TestContext,
  resource: JsonObject,
  meaning: Meaning,
  { canJudge }: CaseOptions,
): Promise<boolean> {
  const known = records.read(resource);
  if (known === undefined || (canJudge !== undefined && !(await canJudge(known)))) return false;
  return meaning.verdict(known) === 'no';
}

/** The present version of a record; undefined if it is gone. */
async function readAgain({ client, records, statement }: TestContext, known: Known): Promise<Known | undefined> {
  if (statement.types.get(known.type)?.interactions.has('read') !== true) return known;
  const { status, json } = await client.get(`${known.type}/${known.id}`);
  if (status === 404 || status === 410) return undefined;
  return status === 200 && json !== undefined ? (records.add(json) ?? known) : known;
}

const listed = (names: readonly string[]): string =>
  names.length <= 2 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
