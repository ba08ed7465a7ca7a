// What takes too much is refused with advice, never answered in part. https://hl7.org/fhir/R4/search.html#errors
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAll, type Found, type LimitedPlace } from '../../src/interaction/search/find-all.ts';
import { withDeadline } from '../../src/interaction/search/deadline.ts';
import { explainSearch } from '../../src/interaction/search/explain/explanation.ts';
import { searchUrlOf } from '../../src/interaction/search/explain/url.ts';
import { searchedBy } from '../../src/interaction/search/searched.ts';
import type { SearchRequest } from '../../src/search/request.ts';
import { DeadlinePassed } from '../../src/store/port/errors.ts';
import { put, serve, type Served } from '../support/serve.ts';

const capability = ['--capability', join(import.meta.dirname, '../fixtures/all-r4/capability')];
const about = { subject: { reference: 'Patient/p1' } };
const records = [
  {
    resourceType: 'Patient',
    id: 'p1',
    name: [{ family: 'Roy' }],
    managingOrganization: { reference: 'Organization/o1' },
  },
  { resourceType: 'Organization', id: 'o1', name: 'Org' },
  ...Array.from({ length: 120 }, (_, at) => ({
    resourceType: 'Observation',
    id: `o${at}`,
    status: 'final',
    code: { text: `t${at % 5}` },
    ...about,
  })),
  { resourceType: 'Condition', id: 'c1', ...about },
];

let server: Served;
beforeAll(async () => {
  server = await serve([], capability);
  await put(server.partition, records);
}, 120_000);
afterAll(() => server.close());

function placeOf(deadline: number): LimitedPlace {
  const { partition, base } = server;
  const { model, extract } = server.running.engine;
  return { partition, base, model, extract, access: 'open', deadline };
}

function parsed(url: string): readonly SearchRequest[] {
  const { model } = server.running.engine;
  const { base } = server;
  const { route, parameters } = searchUrlOf(model, url, base);
  const context = { model, base, zone: 'UTC', handling: 'strict', now: 0, joins: true } as const;
  return searchedBy(model, { access: 'open', base, ...route }).parse(parameters, context);
}

const find = (url: string, deadline: number): Promise<Found> => findAll(parsed(url), placeOf(deadline));

it('a read after the deadline is a rejected promise, which its caller turns into advice', async () => {
  const late = withDeadline(server.partition, 0);
  await late.count('Patient');
  const reads = [
    () => late.count('Patient'),
    () => late.readMany([]),
    () => late.search('Patient', { query: { kind: 'all' }, sort: [{ by: 'id', descending: false }], limit: 1 }),
  ];
  for (const read of reads) await expect(read()).rejects.toThrow(DeadlinePassed);
});

/** Searches that read the store more than once. */
const several: readonly (readonly [title: string, url: string])[] = [
  ['a chain', 'Observation?patient.name=roy'],
  ['a chain of several steps', 'Observation?patient.organization.name=org'],
  ['a chain with a modifier', 'Observation?patient.name:contains=oy'],
  ['`_has`', 'Patient?_has:Observation:patient:status=final'],
  ['candidates of a filter', 'Observation?_filter=patient.name ne zed&_count=100'],
  ['a sort of candidates', 'Observation?_filter=patient.name ne zed&_sort=status'],
  ['several types', '?_type=Observation,Condition'],
  ['all types', '?_sort=_id'],
  ['a compartment', 'Patient/p1/*?_type=Observation,Condition'],
  ['several types in an order without an index', '?_type=Observation,Condition&_sort=code'],
];

describe('the reads of one search together', () => {
  it.each(several)('have a deadline: %s', async (_, url) => {
    expect((await find(url, 60_000)).page.versions.length).toBeGreaterThan(0);
    await expect(find(url, 0)).rejects.toMatchObject({ status: 403, issues: [{ code: 'too-costly' }] });
    await expect(find(url, 0)).rejects.toThrow('name fewer types, chains or includes');
  });

  it.each([
    ['includes', 'Observation?_id=o1&_include=Observation:subject&_include:iterate=Patient:organization', 2],
    ['records that refer to matches', 'Patient?_id=p1&_revinclude=*', 121],
  ])('have one for %s', async (_, url, included) => {
    expect((await find(url, 60_000)).beside.records.length).toBe(included);
    await expect(find(url, 0)).rejects.toMatchObject({ status: 403, issues: [{ code: 'too-costly' }] });
  });

  it('have one for the total of several types; an estimate is left out', async () => {
    const url = '?_type=Observation,Condition&_summary=count';
    expect((await find(url, 60_000)).counted.total).toBe(121);
    await expect(find(url, 0)).rejects.toMatchObject({ status: 403 });
    const request = parsed('?_type=Observation,Condition&_count=0').map(one => ({
      ...one,
      total: 'estimate' as const,
    }));
    const { counted } = await findAll(request, placeOf(0));
    expect([counted.total, counted.warnings.map(({ code }) => code)]).toEqual([undefined, ['too-costly']]);
  });

  it('do not limit a search that reads once, which the store limits', async () => {
    expect((await find('Observation?status=final&_count=5', 0)).page.versions).toHaveLength(5);
  });

  it('are 403 over HTTP, without a part of the answer', async () => {
    const short = await serve([], [...capability, '--search-deadline', '0.001']);
    try {
      const types = [...short.running.engine.model.types.keys()]; // those without records are not searched
      const one = types.map(resourceType => ({ resourceType, id: 'a' }));
      await put(short.partition, one);
      const { status, json } = await short.get('?_sort=_id');
      expect([status, json.resourceType, json.issue[0].code]).toEqual([403, 'OperationOutcome', 'too-costly']);
    } finally {
      await short.close();
    }
  }, 60_000);

  it('are explained up to the refusal', async () => {
    const both = parsed('?_type=Observation,Condition&_sort=_id').map(one => ({ given: one, asked: one }));
    const explanation = await explainSearch(both, placeOf(0), { steps: true, isRestricted: () => false });
    expect(explanation.refusal).toContain('takes too long');
    expect(explanation.steps?.map(({ type }) => type)).toEqual(['Condition']);
  });
});
