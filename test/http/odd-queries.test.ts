// https://hl7.org/fhir/R4/search.html#errors
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { observation, patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1'), observation('o1')]);
});
afterAll(() => server.close());

it('no query, however odd, is a fault: it finds or it is refused with an OperationOutcome', async () => {
  const offered = server.running.engine.model.types.values().flatMap(type => type.parameters.keys());
  const controls = '_count _sort _summary _elements _total _page_token _format _pretty _has _include'.split(' ');
  const names = [...offered, ...controls];
  const modifiers = [
    '',
    ':missing',
    ':exact',
    ':contains',
    ':not',
    ':text',
    ':Patient',
    ':identifier',
    ':',
    '.name',
    ':a:b',
  ];
  const words = [
    '',
    'true',
    'p1',
    'Patient/p1',
    '2024',
    'ge2024-02-30',
    '1.10',
    '1e400',
    '-1',
    '\0',
    '\ud800',
    '|',
    '\\',
    ',',
    '$',
    "'",
  ];
  const value = fc.oneof(
    fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 5 }),
    fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 }),
  );
  const pair = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...modifiers), value);
  const type = fc.constantFrom('Patient', 'Observation', 'Condition', 'Appointment', 'Encounter');
  const prefer = fc.constantFrom('handling=strict', 'handling=lenient', 'handling=', ';;=,');
  await fc.assert(
    fc.asyncProperty(type, fc.array(pair, { maxLength: 4 }), prefer, async (type, pairs, prefer) => {
      const query = new URLSearchParams(pairs.map(([name, modifier, value]) => [name + modifier, value.join('')]));
      const { status, json } = await server.get(`/${type}?${query.toString()}`, { Prefer: prefer });
      expect([200, 400, 406]).toContain(status);
      expect(json.resourceType).toBe(status === 200 ? 'Bundle' : 'OperationOutcome');
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['one very long value', '/Patient', `name=${'a'.repeat(1_000_000)}`, 200],
  ['very many parameters', '/Patient', 'a=b&'.repeat(250_000), 400],
  ['the same one very often', '/Patient', 'name=b&'.repeat(140_000), 400],
  ['very many values', '/Patient', `name=${'b,'.repeat(500_000)}b`, 400],
  ['very many escapes', '/Patient', `name=${'%5C%5C'.repeat(170_000)}`, 200],
  ['a very long page token', '/Patient', `_page_token=${'A'.repeat(1_000_000)}`, 400],
  ['a very long reference', '/Observation', `patient=http://x/${'a'.repeat(1_000_000)}`, 200],
  ['a very long token', '/Observation', `code=${'a'.repeat(500_000)}%7C${'a'.repeat(500_000)}`, 200],
  ['a very long date', '/Observation', `date=2020-01-01T00:00:00.${'1'.repeat(1_000_000)}Z`, 200],
])('%s is no fault', async (_, path, body, status) => {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  expect((await server.ask('POST', `${path}/_search`, { headers, body })).status).toBe(status);
});

it.each([
  ['Patient', 'name', 'tremb', (at: number) => `q${at}`],
  ['Patient', 'name:contains', 'rembl', (at: number) => `q${at}`],
  ['Patient', 'name:exact', 'Tremblay', (at: number) => `q${at}`],
  ['Patient', 'birthdate', '1980', (at: number) => String(1000 + at)],
  ['Patient', '_id', 'p1', (at: number) => `q${at}`],
  ['Observation', 'patient', 'p1', (at: number) => `q${at}`],
  ['Observation', 'code', '8302-2', (at: number) => `q${at}`],
  ['Observation', 'date', 'gt2000', (at: number) => `lt${1000 + at}`],
  ['Observation', '_lastUpdated', 'gt2000', (at: number) => `lt${1000 + at}`],
])('a list of 600 values: %s?%s', async (type, name, value, other) => {
  const others = Array.from({ length: 600 }, (_, at) => other(at));
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const total = async (values: readonly string[], controls: string): Promise<unknown> => {
    const body = `${name}=${values.join(',')}&${controls}`;
    const { status, json } = await server.ask('POST', `/${type}/_search`, { headers, body });
    return [status, json.total, json.entry?.length ?? 0];
  };
  expect(await total(others, '_summary=count')).toEqual([200, 0, 0]);
  expect(await total([...others, value], '_summary=count')).toEqual([200, 1, 0]);
  expect(await total([value, ...others], '_sort=-_id,_lastUpdated')).toEqual([200, undefined, 1]);
});
