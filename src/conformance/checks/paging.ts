import { sampleOf } from '../context.ts';
import type { QueryPair } from '../../search/request.ts';
import type { TestContext } from '../context.ts';
import { Findings } from '../findings.ts';
import type { DeclaredType } from '../statement.ts';
import { ask } from './answer.ts';

/** Most matches whose pages are compared with larger pages. */
const most = 200;

/** Checks one search in small and in large pages; its count; its elements. https://hl7.org/fhir/R4/http.html#paging */
export async function checkPaging(context: TestContext, { name }: DeclaredType): Promise<void> {
  const sample = sampleOf(context, name);
  if (sample.length === 0) return;
  const first = new Findings();
  await checkPages(context, name, sample.length, first);
  // Records that were added meanwhile would be a difference.
  if (first.count('fail') > 0) await checkPages(context, name, sample.length, context.findings);
  else context.findings.all.push(...first.all);
  await checkElements(context, name);
}

async function checkPages(context: TestContext, type: string, size: number, findings: Findings): Promise<void> {
  // A server may lower the size of a page.
  const large = await ask(context, type, [['_count', String(most)]], { findings, mostPages: 3 });
  if (!large.isAnswered) return;
  const count = Math.max(1, Math.ceil(size / 4));
  const small = await ask(context, type, [['_count', String(count)]], { findings, mostPages: 20 });
  const subject = `${type}?_count=${count}`;
  if (!large.isComplete || !small.isComplete) {
    findings.open('paging.complete', subject, 'There are more records than this tester compares');
  } else {
    const ids = new Set(small.matches.map(({ id }) => id));
    const missing = large.matches.filter(({ id }) => !ids.has(id)).map(({ id }) => `${type}/${String(id)}`);
    const came = `${missing.slice(0, 3).join(', ')} is on no page; the pages have ${ids.size} records`;
    const expected = `The ${large.matches.length} records of ${type}?_count=${most}`;
    findings.decide(missing.length === 0, 'paging.complete', subject, came, expected, small.exchange);
  }
  await checkSummary(context, type, large.isComplete ? large.matches.length : undefined, findings);
}

/** https://hl7.org/fhir/R4/search.html#summary */
async function checkSummary(
  context: TestContext,
  type: string,
  matches: number | undefined,
  findings: Findings,
): Promise<void> {
  const counted = await ask(context, type, [['_summary', 'count']], { findings, mostPages: 1 });
  const subject = `${type}?_summary=count`;
  if (!counted.isAnswered) {
    if (!counted.isBroken) findings.open('search.summary', subject, `Not offered: ${counted.exchange.status}`);
    return;
  }
  const { entries, total, exchange } = counted;
  const shown = entries.filter(({ mode }) => mode !== 'outcome').length;
  const isRight = shown === 0 && total !== undefined && (matches === undefined || total === matches);
  const came = `total ${String(total)}, ${shown} entries`;
  const expected = matches === undefined ? 'A total, and no entries' : `total ${matches}, and no entries`;
  findings.decide(isRight, 'search.summary', subject, came, expected, exchange);
}

/** https://hl7.org/fhir/R4/search.html#elements */
async function checkElements(context: TestContext, type: string): Promise<void> {
  const { findings, records } = context;
  const known = sampleOf(context, type)[0];
  const element = Object.keys(known?.resource ?? {}).find(key => !beside.has(key));
  if (known === undefined || element === undefined) return;
  const subject = `${type}?_id=${known.id}&_elements=${element}`;
  const pairs: readonly QueryPair[] = [
    ['_id', known.id],
    ['_elements', element],
  ];
  const answer = await ask(context, type, pairs, { findings });
  if (!answer.isAnswered) {
    if (!answer.isBroken) findings.open('search.elements', subject, `Not offered: ${answer.exchange.status}`);
    return;
  }
  const [match] = answer.matches;
  const current = records.find(type, known.id)?.resource[element];
  const isRight = match === undefined || JSON.stringify(match[element]) === JSON.stringify(current);
  const came = `\`${element}\` is ${JSON.stringify(match?.[element])}`;
  findings.decide(isRight, 'search.elements', subject, came, `\`${element}\` as a read shows it`, answer.exchange);
}

const beside: ReadonlySet<string> = new Set(['resourceType', 'id', 'meta', 'text', 'contained', 'extension']);
