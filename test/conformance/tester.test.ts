// `cli conformance`: it finds each kind of planted fault, and reports nothing of a server that has none.
// https://hl7.org/fhir/R4/capabilitystatement.html
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/conformance/client.ts';
import type { Finding } from '../../src/conformance/findings.ts';
import { areas, runConformance } from '../../src/conformance/run.ts';
import type { RunOptions } from '../../src/conformance/run.ts';
import { generate } from '../../src/demo/generate.ts';
import { current } from '../store/support/current.ts';
import { r4Of } from '../support/r4-of.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { onMongodb } from '../support/store-place.ts';
import { faultyProxy } from './faulty-proxy.ts';
import type { Proxy } from './faulty-proxy.ts';
import { moreFaults } from './planted/more.ts';
import { answerFaults } from './planted/answers.ts';
import { readFaults } from './planted/reads.ts';
import { searchFaults } from './planted/search.ts';
import { writeFaults } from './planted/writes.ts';

const planted = [...searchFaults, ...answerFaults, ...readFaults, ...writeFaults, ...moreFaults];
const isLong = process.env['CRS_TEST_LONG'] !== undefined;
const allR4 = join(import.meta.dirname, '../fixtures/all-r4/capability');

async function failures(base: string, options: Partial<RunOptions>): Promise<readonly Finding[]> {
  const client = createClient({ base, rate: 1e6, token: () => Promise.resolve(undefined) });
  const { findings } = await runConformance({
    client,
    types: undefined,
    areas: new Set(areas),
    sample: isLong ? 50 : 8,
    depth: isLong ? 3 : 1,
    write: false,
    progress: () => {},
    ...options,
  });
  expect(findings.count('pass')).toBeGreaterThan(0);
  return findings.all.filter(({ result }) => result === 'fail');
}

const shown = (found: readonly Finding[]): readonly string[] =>
  found.map(({ check, subject, came, expected }) => `${check} ${subject}: ${came}; ${expected}`);

const wide = ['Patient', 'Observation', 'Encounter', 'RiskAssessment', 'ValueSet', 'ChargeItem', 'Location', 'Group'];
const types = isLong ? wide : ['RiskAssessment', 'Group'];

describe('against this server', () => {
  const capability = r4Of([...types, 'Patient']);

  it('the shipped interface has no failure', async () => {
    const server = await serve([...generate({ patients: isLong ? 60 : 3, seed: 3 })].map(({ text }) => text));
    try {
      expect(shown(await failures(server.base, {}))).toEqual([]);
    } finally {
      await server.close();
    }
  }, 600_000);

  it('the official examples on all of R4 have no failure', async () => {
    const server = await serve(examplesOf([...types, 'Patient']), ['--capability', capability]);
    try {
      expect(shown(await failures(server.base, { types, write: true }))).toEqual([]);
    } finally {
      await server.close();
    }
  }, 600_000);

  it('Bundles have records that the server accepts, if it refuses the smallest ones of the first type', async () => {
    const types = ['Appointment', 'Group'];
    const server = await serve([], ['--capability', r4Of(types)]);
    try {
      expect(shown(await failures(server.base, { types, areas: new Set(['read']), write: true }))).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

function* examplesOf(types: readonly string[]): Iterable<object> {
  const folder = join(import.meta.dirname, '../../node_modules/hl7.fhir.r4.examples');
  for (const type of types)
    for (const file of readdirSync(folder)
      .filter(name => name.startsWith(`${type}-`))
      .slice(0, 40)) {
      const resource = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { resourceType: string; id?: string };
      if (resource.resourceType === type && resource.id !== undefined) yield resource;
    }
}

describe('against planted faults', () => {
  let server: Served;
  let proxy: Proxy;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));

  beforeAll(async () => {
    writeFileSync(join(folder, 'small.json'), JSON.stringify(smallInterface()));
    server = await serve(records(), ['--capability', folder]);
    proxy = await faultyProxy(server);
  });
  afterEach(() => {
    proxy.plant = {};
  });
  afterAll(async () => {
    await proxy.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('nothing is reported without a plant, and nothing is left', async () => {
    const before = await countAll(server);
    expect(shown(await failures(proxy.base, { write: true }))).toEqual([]);
    expect(await countAll(server)).toEqual(before);
  });

  it('nothing is changed without --write', async () => {
    const methods = new Set<string>();
    proxy.plant = { request: ({ method, path }) => methods.add(path.endsWith('_search') ? 'search' : method) };
    await failures(proxy.base, {});
    expect([...methods].toSorted()).toEqual(['GET', 'search']);
  });

  it('there are more than 30 kinds', () => {
    expect(new Set(planted.map(({ kind }) => kind)).size).toBe(planted.length);
    expect(planted.length).toBeGreaterThan(30);
  });

  // The faults are planted in a proxy: on another store the same would be found.
  const tried = onMongodb ? [] : planted;
  it.for(tried.map(one => [one.kind, one] as const))('finds that %s', async ([, one]) => {
    proxy.plant = one;
    const { types, write = false } = one;
    const found = await failures(proxy.base, { types, areas: new Set(one.areas), write });
    expect(found.map(({ check }) => check).filter(check => one.found.includes(check))).not.toEqual([]);
  });
});

async function countAll({ partition }: Served): Promise<readonly number[]> {
  const counts = [];
  for (const type of ['Patient', 'Observation']) {
    let count = 0;
    for await (const { text } of current(partition, type)) if (text !== undefined) count += 1;
    counts.push(count);
  }
  return counts;
}

const kept: Readonly<Record<string, readonly string[]>> = {
  Patient: ['family', 'birthdate', 'gender', 'identifier'],
  Observation: ['code', 'subject', 'patient', 'performer', 'value-quantity', 'identifier', 'date'],
  ValueSet: ['url'],
  CodeSystem: ['url'],
};

/** Four types of the interface of all of R4, with a few parameters, their operations, and one compartment. */
function smallInterface(): object {
  const whole = JSON.parse(readFileSync(join(allR4, 'all-r4.json'), 'utf8')) as {
    rest: {
      resource: {
        type: string;
        extension: { url: string; valueCode?: string }[];
        operation: { definition: string }[];
        searchParam: { name: string }[];
      }[];
      searchParam: { name: string }[];
      compartment: string[];
    }[];
  };
  const [rest] = whole.rest;
  if (rest === undefined) throw new Error('The fixture has no rest');
  const resource = rest.resource
    .filter(({ type }) => kept[type] !== undefined)
    .map(one => ({
      ...one,
      extension: one.extension.filter(
        ({ url, valueCode = '' }) => !url.endsWith('/sort-index') || kept[one.type]?.includes(valueCode),
      ),
      operation: one.operation.filter(({ definition }) => definition.startsWith('http://hl7.org/')),
      searchParam: one.searchParam.filter(({ name }) => kept[one.type]?.includes(name)),
    }));
  const interaction = ['batch', 'transaction'].map(code => ({ code }));
  const searchParam = rest.searchParam.filter(({ name }) => ['_id', '_lastUpdated'].includes(name));
  return {
    ...whole,
    rest: [
      {
        ...rest,
        interaction,
        compartment: rest.compartment.filter(url => url.endsWith('/patient')),
        resource,
        searchParam,
      },
    ],
  };
}

/** Records whose values differ in every way that a fault can blur. */
function* records(): Iterable<object> {
  const families = ['Arsenault', 'Bélanger', 'Bell', 'MacBell', 'Tremblay', 'Arse', 'Quon', 'Roy'];
  for (const [at, family] of families.entries()) {
    const birthDate = ['1950', '1962-05', '1962-05-06', '1971-01-01', '1980-10-10', '1999-12-31', '2001-02-03'][at];
    yield {
      resourceType: 'Patient',
      id: `p${at}`,
      identifier: [{ system: `http://example.org/${at % 2}`, value: String(100 + (at >> 1)) }],
      name: [{ family, given: ['Ann'] }],
      ...(at === 1 ? { meta: { tag: [{ system: 'http://example.org', code: 'kept' }] } } : {}),
      ...(at % 3 === 0 ? {} : { gender: at % 2 === 0 ? 'male' : 'female' }),
      ...(birthDate === undefined ? {} : { birthDate }),
    };
    yield {
      resourceType: 'Observation',
      id: `o${at}`,
      status: 'final',
      code: { coding: [{ system: 'http://loinc.org', code: at % 2 === 0 ? '29463-7' : '8302-2' }] },
      subject: { reference: `Patient/p${at % 3}` },
      effectiveDateTime: `2024-0${1 + at}-01T08:00:00Z`,
      valueQuantity: {
        value: 70,
        unit: at < 4 ? 'kg' : 'cm',
        system: 'http://unitsofmeasure.org',
        code: at < 4 ? 'kg' : 'cm',
      },
    };
  }
}
