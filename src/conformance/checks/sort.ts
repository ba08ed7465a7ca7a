import type { IndexValue } from '../../indexing/entry.ts';
import type { SearchParam } from '../../model/model.ts';
import type { QueryPair } from '../../search/request.ts';
import type { TestContext } from '../context.ts';
import { Findings } from '../findings.ts';
import { withoutCaseAndAccents } from '../readings.ts';
import type { Known } from '../records.ts';
import type { DeclaredType } from '../statement.ts';
import { ask } from './answer.ts';

const sorted: ReadonlySet<string> = new Set(['date', 'number', 'string']);

/**
 * Sorts a type by each date, number and string, in both directions. The standard leaves open where records without a
 * value go, which of several values counts, how overlapping intervals and equal values are ordered, and the collation.
 * https://hl7.org/fhir/R4/search.html#sort
 */
export async function checkSorts(context: TestContext, { name }: DeclaredType): Promise<void> {
  const parameters = [...(context.model.types.get(name)?.parameters.values() ?? [])];
  for (const param of parameters.filter(({ type, reads }) => sorted.has(type) && reads === undefined))
    for (const direction of ['', '-'] as const) {
      const first = new Findings();
      await checkSort(context, name, param, direction, first);
      // A record that was changed meanwhile would be in the wrong place.
      if (first.count('fail') > 0) await checkSort(context, name, param, direction, context.findings);
      else context.findings.all.push(...first.all);
    }
}

async function checkSort(
  context: TestContext,
  type: string,
  param: SearchParam,
  direction: '' | '-',
  findings: Findings,
): Promise<void> {
  const sort = `${direction}${param.code}`;
  const subject = `${type}?_sort=${sort}`;
  const pairs: readonly QueryPair[] = [
    ['_sort', sort],
    ['_count', '100'],
  ];
  const answer = await ask(context, type, pairs, { findings, mostPages: 2 });
  if (!answer.isAnswered) {
    if (!answer.isBroken) findings.open('search.sort', subject, `Not offered: status ${answer.exchange.status}`);
    return;
  }
  if (!answer.used.has('_sort')) {
    findings.open('search.sort', subject, 'The self link lacks `_sort`: it was not used');
    return;
  }
  const records = answer.matches.flatMap(resource => context.records.read(resource) ?? []);
  const found = misplaced(records, param.code, direction === '' ? 1 : -1);
  const came = found && `${type}/${found[0].id} comes before ${type}/${found[1].id}`;
  const expected = `The order of \`${param.code}\`, ${direction === '' ? 'ascending' : 'descending'}`;
  findings.decide(found === undefined, 'search.sort', subject, came ?? '', expected, answer.exchange);
}

/** Two records whose order is certainly wrong. */
function misplaced(records: readonly Known[], code: string, sign: number): readonly [Known, Known] | undefined {
  for (const [at, later] of records.entries())
    for (const earlier of records.slice(0, at)) if (isAfter(earlier, later, code, sign)) return [earlier, later];
  return undefined;
}

/** Whether `a` certainly belongs after `b`: in every reading. */
function isAfter(a: Known, b: Known, code: string, sign: number): boolean {
  if (a.undecided.has(code) || b.undecided.has(code)) return false;
  if (code === '_lastUpdated') {
    const [one, other] = [a.indexed[0]?.lastUpdated ?? 0, b.indexed[0]?.lastUpdated ?? 0];
    // The resolution of a time in a database may be a second.
    return sign * (one - other) >= 1000;
  }
  return a.indexed.every((_, at) => {
    const [one, other] = [onlyValue(a, code, at), onlyValue(b, code, at)];
    return one !== undefined && other !== undefined && compare(one, other) * sign > 0;
  });
}

function onlyValue({ indexed }: Known, code: string, at: number): IndexValue | undefined {
  const values = (indexed[at]?.entries ?? []).filter(({ param }) => param === code);
  const texts = new Set(values.map(({ value }) => (value.kind === 'string' ? value.text : value)));
  return texts.size === 1 ? values[0]?.value : undefined;
}

/** 0 where the order is open. */
function compare(a: IndexValue, b: IndexValue): number {
  if (a.kind === 'string' && b.kind === 'string') return compareTexts(a.text, b.text);
  if ((a.kind !== 'date' && a.kind !== 'number') || b.kind !== a.kind) return 0;
  if (a.low === b.low && a.high === b.high) return 0;
  if (a.low >= b.high) return 1;
  return a.high <= b.low ? -1 : 0;
}

/** Only letters and digits at the first difference are ordered alike everywhere. */
function compareTexts(a: string, b: string): number {
  const orders = [
    [a, b],
    [withoutCaseAndAccents(a), withoutCaseAndAccents(b)],
    [a.replace(/[^\p{L}\p{N}]/gu, ''), b.replace(/[^\p{L}\p{N}]/gu, '')],
  ].map(([one = '', other = '']): number => (one === other ? 0 : one < other ? -1 : 1));
  orders.push(Math.sign(a.localeCompare(b, 'en', { sensitivity: 'base' })));
  return orders.every(order => order === orders[0]) ? (orders[0] ?? 0) : 0;
}
