import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { holds, judge } from './budgets.ts';
import type { Budget } from './budgets.ts';
import { requestCases } from './cases.ts';
import type { RequestRow } from './measure/requests.ts';
import { readOptions } from './options.ts';
import { budgetsOf, figuresOf, requestTable } from './report.ts';
import { validationCases } from './validation-cases.ts';
import { versionCases } from './version-cases.ts';
import { warmUp } from './measure/warm-up.ts';
import { median, medianRatio, percentile } from './statistics.ts';
import { figure, table } from './table.ts';

describe('warming up', () => {
  it.each([
    ['after as many requests', { requests: 25, seconds: 3_600 }, 3],
    ['after the time, however few they were', { requests: Infinity, seconds: 0 }, 1],
  ])('ends %s', async (_, most, passes) => {
    const seen: number[] = [];
    await warmUp(async pass => {
      await setImmediate();
      seen.push(pass);
      return 10;
    }, most);
    expect(seen).toEqual(Array.from({ length: passes }, (_, at) => at));
  });
});

describe('statistics', () => {
  it('takes the middle, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('takes the value that a share of all does not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1);
    expect(percentile(hundred, 0.5)).toBe(50);
    expect(percentile(hundred, 0.99)).toBe(99);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('compares what was measured side by side', () => {
    expect(medianRatio([10, 40, 90], [10, 20, 30])).toBe(2);
    expect(medianRatio([10, 40, 90], [20, 20])).toBe(1.25);
  });
});

describe('a budget', () => {
  const atLeast: Budget = { name: 'load', is: 'at least', value: 100, unit: 'records/s' };
  const atMost: Budget = { name: 'start', is: 'at most', value: 100, unit: 'ms' };
  it.each([
    ['reached', atLeast, 100, 'met'],
    ['missed by a little', atLeast, 86, 'near'],
    ['missed by more than the tolerance', atLeast, 84, 'missed'],
    ['kept', atMost, 99, 'met'],
    ['exceeded by a little', atMost, 117, 'near'],
    ['exceeded by more than the tolerance', atMost, 119, 'missed'],
  ] as const)('that is %s', (_, budget, measured, verdict) => {
    expect(judge([budget], { [budget.name]: measured })).toEqual([{ ...budget, measured, verdict }]);
  });

  it('is left out where nothing was measured', () => {
    expect(judge([atLeast, atMost], { start: 5 }).map(({ name }) => name)).toEqual(['start']);
  });

  it('fails a check only when it is missed by more than the tolerance', () => {
    expect(holds(judge([atLeast, atMost], { load: 86, start: 1 }))).toBe(true);
    expect(holds(judge([atLeast, atMost], { load: 84, start: 1 }))).toBe(false);
  });
});

const row = (over: Partial<RequestRow>): RequestRow => ({
  case: 'read by id',
  connections: 16,
  subject: 'service',
  rate: 5_000,
  p50: 1.5,
  p99: 4,
  cpu: 100,
  bytes: 700,
  ofFloor: 0.8,
  cpuOfFloor: 1.25,
  ...over,
});

describe('figures', () => {
  it('are the worst share of the floor at several connections', () => {
    const rows = [
      row({ connections: 1, cpuOfFloor: 4 }),
      row({ connections: 16, cpuOfFloor: 1.25 }),
      row({ connections: 64, cpuOfFloor: 2 }),
      row({ connections: 64, subject: 'floor', cpuOfFloor: 1 }),
    ];
    const figures = figuresOf({ requests: { rows, residentUnderLoad: 0 } });
    expect(figures['read by id of floor']).toBe(0.5);
  });

  it('compare the deep page with the first at the same connections', () => {
    const rows = [
      row({ case: 'page 1', connections: 1, cpu: 100 }),
      row({ case: 'page 1', connections: 16, cpu: 200 }),
      row({ case: 'page 1,000', connections: 1, cpu: 110 }),
      row({ case: 'page 1,000', connections: 16, cpu: 210 }),
    ];
    const figures = figuresOf({ requests: { rows, residentUnderLoad: 0 } });
    expect(figures['page 1,000 to page 1']).toBeCloseTo(1.1);
  });

  it('all have budgets of the same name', () => {
    const names = budgetsOf(requestCases).map(({ name }) => name);
    const figures = figuresOf({
      validation: validationCases.map(({ name }) => ({ name, ours: 1, structure: 1, ajv: 1, medplum: 1, first: 1 })),
      versions: versionCases.map(({ name, most }) => ({ name, most, cost: 1, plain: 1, times: 1 })),
      package: 1,
      load: { rate: 1, cpu: 1, resident: 1, bytesPerRecord: 1 },
      whileLoading: { p99Before: 1, p99: 1, p50: 1, most: 1, asked: 1, answered: 1, loaded: 1 },
      start: { start: 1, resident: 1 },
    });
    expect(names).toEqual(expect.arrayContaining(Object.keys(figures)));
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the table', () => {
  it('has columns as wide as their widest cell', () => {
    const columns = [
      { title: 'case', align: 'left' },
      { title: 'ms', align: 'right' },
    ] as const;
    expect(
      table(columns, [
        ['read by id', '1.50'],
        ['search', '12.0'],
      ]),
    ).toBe(['case          ms', '----------  ----', 'read by id  1.50', 'search      12.0'].join('\n'));
  });

  it('prints three digits that matter', () => {
    expect([12_345.6, 123.4, 12.34, 1.234, 0, NaN, undefined].map(figure)).toEqual(
      ['12,346', '123', '12.3', '1.23', '0.00', '-', '-'], // prettier-ignore
    );
  });

  it('names a case once for all subjects', () => {
    const rows = [row({ subject: 'floor', cpuOfFloor: 1, ofFloor: 1 }), row({})];
    const lines = requestTable(rows).split('\n');
    expect(lines[2]).toMatch(/^read by id +16 +floor +5,000 +1\.50 +4\.00 +100 +700 +1\.00 +1\.00$/);
    expect(lines[3]).toMatch(/^ +service +5,000 +1\.50 +4\.00 +100 +700 +0\.80 +0\.80$/);
  });
});

describe('arguments', () => {
  it('take a scale with and without a number', () => {
    expect(readOptions(['--scale']).scale).toBe(1_000_000);
    expect(readOptions(['--scale', '300,000', '--quick'])).toMatchObject({ scale: 300_000, quick: true });
    expect(readOptions(['--scale', '--check'])).toMatchObject({ scale: 1_000_000, check: true });
  });

  it('refuse what is no flag or no number', () => {
    expect(() => readOptions(['--fast'])).toThrow(/--fast/);
    expect(() => readOptions(['--scale', '1x'])).toThrow('`--scale 1x` is not a number of resources.');
  });

  it('collect the cases', () => {
    expect(readOptions(['--case', 'read', '--case', 'load']).cases).toEqual(['read', 'load']);
  });
});
