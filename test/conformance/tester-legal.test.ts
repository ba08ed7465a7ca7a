// `cli conformance` reports nothing of a server that answers legally, and differently from this one.
// https://hl7.org/fhir/R4/http.html
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../src/conformance/client.ts';
import type { Finding } from '../../src/conformance/findings.ts';
import { areas, runConformance } from '../../src/conformance/run.ts';
import { otherServer } from './other-server.ts';

let server: Awaited<ReturnType<typeof otherServer>>;
let found: readonly Finding[];
beforeAll(async () => {
  server = await otherServer();
  const client = createClient({ base: server.base, rate: 1e6, token: () => Promise.resolve(undefined) });
  const options = { types: undefined, areas: new Set(areas), sample: 50, depth: 3, write: false, progress: () => {} };
  ({
    findings: { all: found },
  } = await runConformance({ client, ...options }));
}, 120_000);
afterAll(() => server.close());

it('nothing is a failure', () => {
  const failures = found.filter(({ result }) => result === 'fail');
  expect(failures.map(({ check, subject, came, expected }) => `${check} ${subject}: ${came}; ${expected}`)).toEqual([]);
});

it('what it offers was tested, and what it does not offer is open', () => {
  const checks = (result: Finding['result']): readonly string[] => [
    ...new Set(found.filter(one => one.result === result).map(({ check }) => check)),
  ];
  expect(checks('pass')).toEqual(
    expect.arrayContaining([
      'read.record',
      'read.etag',
      'vread.record',
      'conditional-read.none-match',
      'search.string',
      'search.token',
      'search.date',
      'search.reference',
      'search.post',
      'modifier.not',
      'prefix.ge',
      'prefix.ne',
      'search.sort',
      'search.include',
      'search.summary',
      'search.elements',
      'paging.complete',
      'error.unknown-type',
    ]),
  );
  expect(checks('open')).toEqual(
    expect.arrayContaining([
      'read.last-modified',
      'error.unknown-parameter',
      'prefix.ap',
      'modifier.exact',
      'search.has',
    ]),
  );
});

it('references are searched by values of the types to which the parameter refers', () => {
  const subjects = found.map(({ subject }) => subject).filter(subject => subject.includes('Bundle?message='));
  expect(subjects).toContain('Bundle?message=MessageHeader/first');
  expect(subjects.filter(subject => subject.includes('Composition'))).toEqual([]);
});
