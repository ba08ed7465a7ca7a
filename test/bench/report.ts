import { validationCases } from './validation-cases.ts';
import type { ValidationRow } from './measure/validation.ts';
import { otherBudgets } from './budgets.ts';
import type { Budget, Figures, Verdict } from './budgets.ts';
import type { RequestCase } from './cases.ts';
import type { Cost, FirstCreateResults } from './measure/first-create.ts';
import { processBudgets } from './measure/processes.ts';
import type { ProcessResults } from './measure/processes.ts';
import type { BesideRow } from './measure/beside.ts';
import type { FieldRow } from './measure/field.ts';
import type { GuardRow } from './measure/guard.ts';
import { joinCases } from './join-cases.ts';
import { versionCases } from './version-cases.ts';
import { wordCases } from './word-cases.ts';
import type { JoinRow } from './measure/joins.ts';
import type { LoadingResults, WhileLoadingResults } from './measure/loading.ts';
import type { PageRow } from './measure/pages.ts';
import type { RequestResults, RequestRow } from './measure/requests.ts';
import type { ScaleRow } from './measure/scale.ts';
import type { StartResults } from './measure/start.ts';
import type { TransactionResults } from './measure/transactions.ts';
import { isMet } from './measure/terminology.ts';
import type { TerminologyRow } from './measure/terminology.ts';
import { figure, table } from './table.ts';
import type { Column } from './table.ts';

/** What one run measured; what it did not is left out. */
export interface Results {
  readonly requests?: RequestResults;
  readonly creates?: readonly RequestRow[];
  readonly joins?: readonly JoinRow[];
  readonly words?: readonly JoinRow[];
  readonly versions?: readonly JoinRow[];
  readonly load?: LoadingResults;
  readonly whileLoading?: WhileLoadingResults;
  readonly start?: StartResults;
  readonly firstCreate?: FirstCreateResults;
  readonly transactions?: TransactionResults;
  readonly validation?: readonly ValidationRow[];
  /** Milliseconds that a large package adds to a warm start. */
  readonly package?: number;
  readonly pages?: readonly PageRow[];
  readonly scale?: readonly ScaleRow[];
}

/** The budgets of the request cases and of everything else. */
export function budgetsOf(cases: readonly RequestCase[]): readonly Budget[] {
  const ofCases = cases.flatMap(({ name, ofFloor, rate }): Budget[] => [
    ...(ofFloor === undefined ? [] : [{ name: `${name} of floor`, is: 'at least' as const, value: ofFloor, unit: '' }]),
    ...(rate === undefined ? [] : [{ name, is: 'at least' as const, value: rate, unit: 'requests/s' }]),
  ]);
  const ofValidation = validationCases.map(({ name, most }): Budget => ({
    name,
    is: 'at most',
    value: most,
    unit: 'ms',
  }));
  const ofJoins = [...joinCases, ...wordCases, ...versionCases].map(({ name, most }): Budget => ({
    name,
    is: 'at most',
    value: most,
    unit: '',
  }));
  return [...ofCases, ...ofJoins, ...ofValidation, ...otherBudgets];
}

/**
 * The figures that have budgets. A share of the floor is the floor's processor time per request by the service's: on a
 * processor of its own this is the share of the requests a second, and it does not move when others use the machine.
 * Where a case ran at several numbers of connections the worst counts, but for one connection alone, where both wait
 * for the client.
 */
export function figuresOf({
  requests,
  creates,
  joins,
  words,
  versions,
  load,
  whileLoading,
  start,
  firstCreate,
  transactions,
  validation,
  package: added,
  pages,
}: Results): Figures {
  const figures: Record<string, number> = {};
  const rows = [...(requests?.rows ?? []), ...(creates ?? [])].filter(({ subject }) => subject === 'service');
  for (const name of new Set(rows.map(row => row.case))) {
    const own = rows.filter(row => row.case === name);
    const many = own.filter(({ connections }) => connections > 1);
    const counted = many.length > 0 ? many : own;
    const share = Math.min(...counted.map(({ cpuOfFloor }) => 1 / cpuOfFloor));
    if (!Number.isNaN(share)) figures[`${name} of floor`] = share;
    figures[name] = Math.max(...own.map(({ rate }) => rate));
  }
  const deep = costRatio(rows, 'page 1,000', 'page 1');
  if (deep !== undefined) figures['page 1,000 to page 1'] = deep;
  for (const { name, times } of [...(joins ?? []), ...(words ?? []), ...(versions ?? [])]) figures[name] = times;
  for (const { name, ours } of validation ?? []) figures[name] = ours;
  if (pages !== undefined) figures['slowest page'] = Math.max(...pages.map(({ wall }) => wall));
  if (added !== undefined) figures['package'] = added;
  if (load !== undefined) figures['load'] = load.rate;
  if (whileLoading !== undefined) figures['read p99 while loading'] = whileLoading.p99;
  if (transactions !== undefined) figures['transaction of 60 to load'] = transactions.cpu / transactions.loadCpu;
  if (firstCreate !== undefined)
    figures['first create, cache to none'] = firstCreate.withCache / firstCreate.withoutCache;
  if (start !== undefined) {
    figures['start'] = start.start;
    figures['memory idle'] = start.resident / 1e6;
  }
  return figures;
}

/** The worst ratio of processor time per request of two cases at the same number of connections. */
function costRatio(rows: readonly RequestRow[], name: string, to: string): number | undefined {
  const ratios = rows
    .filter(row => row.case === name)
    .flatMap(row => {
      const other = rows.find(one => one.case === to && one.connections === row.connections);
      return other === undefined ? [] : [row.cpu / other.cpu];
    });
  return ratios.length === 0 ? undefined : Math.max(...ratios);
}

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

export function requestTable(rows: readonly RequestRow[]): string {
  const columns = [
    left('case'),
    right('conn.'),
    left('subject'),
    ...['req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'bytes', 'req/s of floor', 'floor CPU by CPU'].map(right),
  ];
  return table(
    columns,
    rows.map((row, at) => {
      const before = rows[at - 1];
      const isNew = before?.case !== row.case || before.connections !== row.connections;
      return [
        isNew ? row.case : '',
        isNew ? String(row.connections) : '',
        row.subject,
        ...[row.rate, row.p50, row.p99, row.cpu, row.bytes, row.ofFloor, 1 / row.cpuOfFloor].map(figure),
      ];
    }),
  );
}

/** Searches with joins and includes, or by words, beside plain searches; or other requests beside `beside`. */
export function joinTable(rows: readonly JoinRow[], beside = 'plain searches'): string {
  return table(
    [left('case'), ...['CPU µs', `${beside}: CPU µs`, 'times'].map(right)],
    rows.map(({ name, cost, plain, times }) => [name, ...[cost, plain, times].map(figure)]),
  );
}

/**
 * Validators side by side, in milliseconds: ours, our structure check and ajv, which look at nothing else, and
 * @medplum/core.
 */
export function validationTable(rows: readonly ValidationRow[]): string {
  return table(
    [
      left('case'),
      ...['ours', 'structure alone', 'ajv (structure)', 'times', '@medplum/core', 'times', 'first'].map(right),
    ],
    rows.map(({ name, ours, structure, ajv, medplum, first }) => [
      name,
      ...[ours, structure, ajv].map(milliseconds),
      figure(ajv / structure),
      milliseconds(medplum),
      ...[medplum / ours, first].map(figure),
    ]),
  );
}

const milliseconds = (value: number): string => value.toFixed(3);

/** Everything else that was measured, a line each; empty for nothing. */
export function otherTable(results: Results): string {
  const { requests, load, whileLoading, start, firstCreate, transactions, package: added } = results;
  const rows: [string, number, string][] = [];
  if (load !== undefined)
    rows.push(
      ['load, indexed', load.rate, 'records/s'],
      ['load: processor time', load.cpu, 'µs/record'],
      ['load: memory at most', load.resident / 1e6, 'MB'],
      ['file', load.bytesPerRecord, 'bytes/record'],
    );
  if (whileLoading !== undefined)
    rows.push(
      ['reads while a load runs', whileLoading.answered, `of ${whileLoading.asked} a second`],
      ['  p50', whileLoading.p50, 'ms'],
      ['  p99', whileLoading.p99, 'ms'],
      ['  p99 without a load', whileLoading.p99Before, 'ms'],
      ['  longest', whileLoading.most, 'ms'],
      ['  loaded meanwhile', whileLoading.loaded, 'records/s'],
    );
  if (start !== undefined)
    rows.push(['start to first metadata', start.start, 'ms'], ['memory idle', start.resident / 1e6, 'MB']);
  if (firstCreate !== undefined)
    rows.push(
      ['command to first validated create, no cache', firstCreate.withoutCache, 'ms'],
      ['  with what an earlier start kept', firstCreate.withCache, 'ms'],
      ...costs('    of that the create', firstCreate.first),
      ...costs('first create 3 s after a start', firstCreate.idle),
      ...costs('tenth create', firstCreate.warm),
    );
  if (transactions !== undefined)
    rows.push(
      ...costs('transaction of 60 records', { wall: transactions.wall, cpu: transactions.cpu }),
      ...costs('  the same records in a load', { wall: transactions.loadWall, cpu: transactions.loadCpu }),
    );
  if (added !== undefined) rows.push(['a package like US Core, added to a warm start', added, 'ms']);
  if (requests !== undefined) rows.push(['memory under load, at most', requests.residentUnderLoad / 1e6, 'MB']);
  if (rows.length === 0) return '';
  return table(
    [left('what'), right('measured'), left('unit')],
    rows.map(([what, value, unit]) => [what, figure(value), unit]),
  );
}

const costs = (what: string, { wall, cpu }: Cost): readonly [string, number, string][] => [
  [what, wall, 'ms'],
  [`${/^ */.exec(what)?.[0] ?? ''}  processor time`, cpu, 'ms'],
];

export function budgetTable(verdicts: readonly Verdict[]): string {
  return table(
    [left('budget'), left(''), right('promised'), right('measured'), left('unit'), left('')],
    verdicts.map(({ name, is, value, measured, unit, verdict }) => [
      name,
      is,
      figure(value),
      figure(measured),
      unit,
      verdict === 'near' ? 'missed by less than 15 %' : verdict,
    ]),
  );
}

export function pageTable(rows: readonly PageRow[]): string {
  const columns = [left('page for browsers'), right('ms')];
  return table(
    columns,
    rows.map(({ page, wall }) => [page, figure(wall)]),
  );
}

/** The service beside that of another commit, and both beside the floor. */
export function besideTable(rows: readonly BesideRow[]): string {
  return table(
    [left('case'), ...['CPU µs of floor', 'before', 'now', 'times', 'of the floor before', 'now'].map(right)],
    rows.map(one => [
      one.case,
      ...[one.floor, one.other, one.service, one.times, one.otherShare, one.share].map(figure),
    ]),
  );
}

/** What the guard, the audit or the explorer costs. */
export function guardTable(rows: readonly GuardRow[]): string {
  return table(
    [left('case'), ...['CPU µs without', 'CPU µs with', 'times', 'promised'].map(right), left('')],
    rows.map(({ case: name, without, with: cost, times, promised }) => [
      name,
      ...[without, cost, times, promised].map(figure),
      times <= promised ? 'met' : 'missed',
    ]),
  );
}

/** Several processes beside one; with the memory of each child in MB. */
export function processTable({ processes, rows, memory, memoryAfter }: ProcessResults): string {
  const { cpu: most, rate: least, memory: largest } = processBudgets;
  const rates = table(
    [
      left('case'),
      ...['req/s of 1', `req/s of ${processes}`, 'times', 'at most'].map(right),
      ...['CPU µs of 1', 'CPU µs', 'times', 'on all', 'as loaded'].map(right),
      left(''),
    ],
    rows.map(row => {
      const { case: name, rateOfOne, rate, rateTimes, rateTimesAtMost, cpuOfOne, cpu, cpuTimes } = row;
      const { cpuTimesOnAll, cpuTimesAsLoaded } = row;
      const isRate = !name.includes('create') && processes === 2; // a create waits for the disk
      const missed = [
        ...(isRate && rateTimes < least ? ['rate'] : []),
        ...(cpuTimes > most ? ['CPU on one processor'] : []),
        ...(cpuTimesOnAll > most ? ['CPU on all'] : []),
        ...(cpuTimesAsLoaded > most ? ['CPU as loaded'] : []),
      ];
      const ofRates = [rateOfOne, rate, rateTimes, rateTimesAtMost];
      const ofCosts = [cpuOfOne, cpu, cpuTimes, cpuTimesOnAll, cpuTimesAsLoaded];
      const numbers = [...ofRates, ...ofCosts].map(figure);
      return [name, ...numbers, missed.length === 0 ? 'met' : `missed: ${missed.join(', ')}`];
    }),
  );
  const verdict = memory.every(bytes => bytes <= largest) ? 'met' : 'missed';
  const megabytes = (of: readonly number[]): string => of.map(bytes => figure(bytes / 1e6)).join(', ');
  return (
    `${rates}\n\nMemory of each child when idle after the start: ${megabytes(memory)} MB (${verdict}); ` +
    `after the rounds: ${megabytes(memoryAfter)} MB`
  );
}

export function scaleTable(rows: readonly ScaleRow[], small: number, large: number): string {
  const size = (count: number): string => count.toLocaleString('en-US');
  return table(
    [left('what'), left('unit'), right(size(small)), right(size(large)), right('times')],
    rows.map(({ what, unit, small, large, growth }) => [what, unit, ...[small, large, growth].map(figure)]),
  );
}

/** The workloads of the field's benchmark, with what failed below. */
export function fieldTable(rows: readonly FieldRow[]): string {
  const columns: readonly Column[] = [
    { title: 'workload', align: 'left' },
    { title: 'users', align: 'right' },
    { title: '/s', align: 'right' },
    { title: 'cpu ms', align: 'right' },
    { title: 'memory MB', align: 'right' },
    { title: 'p50 ms', align: 'right' },
    { title: 'p99 ms', align: 'right' },
    { title: 'failed', align: 'right' },
  ];
  const cells = rows.map(({ workload, users, rate, cpu, memory, p50, p99, failed }) => [
    workload,
    String(users),
    ...[rate, cpu, memory / 1e6, p50, p99].map(figure),
    String(Object.values(failed).reduce((sum, { count }) => sum + count, 0)),
  ]);
  const failures = rows.flatMap(({ workload, failed }) =>
    Object.entries(failed).map(([status, { count, first }]) => `${workload}: ${count} × ${status}, first: ${first}`),
  );
  return [table(columns, cells), ...failures].join('\n');
}

/** Figures of code systems in the store beside their budgets. */
export function terminologyTable(rows: readonly TerminologyRow[]): string {
  const columns: readonly Column[] = [
    { title: 'what', align: 'left' },
    { title: 'measured', align: 'right' },
    { title: 'budget', align: 'right' },
    { title: '', align: 'left' },
  ];
  return table(
    columns,
    rows.map(row => [row.name, figure(row.measured), figure(row.budget), `${row.unit}${isMet(row) ? '' : ' missed'}`]),
  );
}
