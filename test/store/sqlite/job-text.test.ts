import { expect, it } from 'vitest';
import { everything } from '../../../src/store/keys/interval.ts';
import { parseJob, printJob } from '../../../src/store/sqlite/job-text.ts';
import type { PreparedChange, PreparedRequirement, SubmittedJob } from '../../../src/store/sqlite/jobs.ts';
import { emptyRows } from '../../../src/store/sqlite/rows.ts';

// How jobs are sent to the thread that commits them.

const created: PreparedChange = {
  t: 1,
  type: 'Observation',
  id: 'a',
  expected: 0,
  text: {
    before: '{"resourceType":"Observation","id":"a","meta":{',
    after: '},"note":[{"text":"\ud83d\ude00 \ud83d"}]}',
  },
  same: false,
  ord: 1.5,
  added: { ...emptyRows(), terms: [4, 'http://loinc.org|1-2', 0], ranges: [5, 'q', 0, 1, 2, 0] },
  removed: undefined,
  owners: null,
  precondition: { is: 'absent' },
  attachments: undefined,
};

const jobOf = (change: PreparedChange, requires: readonly PreparedRequirement[] = []): SubmittedJob => ({
  job: {
    kind: 'write',
    n: 1,
    epoch: 1,
    now: 1,
    changes: [change],
    parts: undefined,
    requires,
    mark: undefined,
    key: undefined,
    defines: [],
  },
  definitions: 'd',
});
const noMatch = {
  is: 'no-match',
  clause: { kind: 'updated', at: everything },
  since: 1,
  found: [],
  terms: [],
} as const;
const infinite = { ...emptyRows(), ranges: [5, 'cg', 1, -Infinity, 5, 0] };

it.each<[string, SubmittedJob]>([
  ['a write', jobOf(created, [{ is: 'there', t: 1, type: 'Patient', id: 'p' }])],
  ['a deletion', jobOf({ ...created, text: undefined, added: undefined, removed: emptyRows() })],
])('%s is sent as JSON, and is the same when it arrives', (_, job) => {
  const sent = printJob(job);
  expect(sent).toBeTypeOf('string');
  expect(parseJob(sent)).toEqual(job);
});

it.each<[string, SubmittedJob]>([
  ['a quantity without a lowest value', jobOf({ ...created, added: infinite })],
  ['the same, that is removed', jobOf({ ...created, removed: infinite })],
  ['a condition without a bound', jobOf({ ...created, precondition: noMatch })],
  ['a requirement without a bound', jobOf(created, [{ ...noMatch, t: 1, type: 'Patient' }])],
  ['another job', { job: { kind: 'sweep', now: 1 }, definitions: 'd' }],
])('%s, which JSON may not have, is sent as it is', (_, job) => {
  expect(printJob(job)).toBe(job);
  expect(parseJob(printJob(job))).toBe(job);
});
