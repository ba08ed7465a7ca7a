// The served statement, walked over HTTP: what it declares works and finds what a plain scan finds, all else is
// refused. https://hl7.org/fhir/R4/capabilitystatement.html
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { load } from '../../src/bulk/load.ts';
import { generate } from '../../src/demo/generate.ts';
import { typeInteractions } from '../../src/fhir/interaction.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { readOfficialSearchParameters, readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { media, post } from '../support/media.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { casesOf, evaluate, intervalOf, spread } from './scan.ts';
import type { Case, Parameter, Resource } from './scan.ts';
import { current } from '../store/support/current.ts';

interface Declared {
  readonly type: string;
  readonly interaction?: readonly { readonly code: string }[];
  readonly searchParam?: readonly SearchParam[];
}
interface SearchParam {
  readonly name: string;
  readonly type: string;
  readonly definition: string;
}

/** More to walk through, on demand: so many synthetic patients, and a file or folder of other records. */
const patients = Number(process.env['CRS_TEST_PATIENTS'] ?? 20);
const data = process.env['CRS_TEST_DATA'];

let server: Served;
let declared: readonly Declared[];
let common: readonly SearchParam[];
const records = new Map<string, Resource[]>();
const definitions = new Map<string, { readonly expression: string }>();

beforeAll(async () => {
  server = await serve([...generate({ patients, seed: 11 })].map(({ text }) => text));
  if (data !== undefined) {
    const { model, definitions, validator } = server.running.engine;
    const { partition, base } = server;
    const extract = createExtract(model);
    const options = {
      model,
      definitions,
      partition,
      extract,
      validator: await validator(),
      base,
      undeclared: 'skip',
      now: Date.now,
      stdin: process.stdin,
    } as const;
    for await (const { rejected } of load([data], {
      ...options,
      rejects: join(tmpdir(), `walk-${process.pid}.ndjson`),
    }))
      if (rejected > 0) throw new Error(`${rejected} records of ${data} are rejected`);
  }
  const { rest } = (await server.get('/metadata')).json;
  declared = rest[0].resource;
  // What shapes the answer (`_sort`) has no definition, and finds nothing.
  common = rest[0].searchParam.filter((one: Partial<SearchParam>) => one.definition !== undefined);
  for (const { type } of declared) {
    const found: Resource[] = [];
    for await (const { text } of current(server.partition, type)) found.push(JSON.parse(text ?? ''));
    records.set(type, found);
  }
  const folder = new URL('../../searchparameters/', import.meta.url);
  for (const file of readdirSync(folder)) {
    const definition = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    definitions.set(definition.url, definition);
  }
});
afterAll(() => server.close());

const searchable = (): readonly Declared[] => declared.filter(resource => has(resource, 'search-type'));
const has = ({ interaction = [] }: Declared, code: string): boolean => interaction.some(one => one.code === code);

const parametersOf = (resource: Declared): Parameter[] =>
  [...common, ...(resource.searchParam ?? [])].map(({ name, type, definition }) => {
    const [url = ''] = definition.split('|');
    const expression = definitions.get(url)?.expression;
    if (expression === undefined) throw new Error(`${definition} is not in searchparameters/`);
    return { name, type, expression };
  });

/** All ids that a search finds, over all of its pages. */
async function found(type: string, query: string): Promise<string[]> {
  const ids: string[] = [];
  let path: string | undefined = `/${type}?${query}`;
  while (path !== undefined) {
    const { status, json, text } = await server.get(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    ids.push(...(json.entry ?? []).map(({ resource }: { resource: Resource }) => resource.id));
    const next = json.link.find(({ relation }: { relation: string }) => relation === 'next')?.url;
    path = next?.slice(server.base.length);
  }
  return ids;
}

/** Local time of Toronto, given as if it were UTC, to milliseconds since 1970 UTC. */
function toronto(local: number): number {
  const known = times.get(local);
  if (known !== undefined) return known;
  for (const hours of [4, 5]) {
    const time = local + hours * 3_600_000;
    if (clock.format(time) !== new Date(local).toISOString().slice(0, 16).replace('T', ' ')) continue;
    times.set(local, time);
    return time;
  }
  throw new Error(`${new Date(local).toISOString()} does not exist in Toronto`);
}

/** By their local times: the same ones are asked for in thousands of searches. */
const times = new Map<number, number>();

const clock = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Toronto',
  hourCycle: 'h23',
  dateStyle: 'short',
  timeStyle: 'short',
});

describe('each declared search parameter', () => {
  it('finds exactly what a plain scan with fhirpath.js finds', async () => {
    let cases = 0;
    let hits = 0;
    for (const resource of searchable()) {
      const all = records.get(resource.type) ?? [];
      expect(all.length, `records of ${resource.type}`).toBeGreaterThan(0);
      for (const parameter of parametersOf(resource)) {
        const values = new Map(all.map(one => [one.id, evaluate(parameter, one)]));
        const queries = casesOf(parameter, [...values.values()].flat(), server.base, toronto);
        expect(queries.length, `${resource.type} ${parameter.name} has values`).toBeGreaterThan(2);
        for (const { query, finds } of queries) {
          const expected = all.filter(({ id }) => finds(values.get(id) ?? [])).map(({ id }) => id);
          const actual = await found(resource.type, `${query}&_count=1000`);
          expect(actual.toSorted(), `${resource.type}?${query}`).toEqual(expected.toSorted());
          cases += 1;
          if (expected.length > 0 && expected.length < all.length) hits += 1;
        }
      }
    }
    expect(cases).toBeGreaterThan(1_000);
    expect(hits).toBeGreaterThan(cases / 2);
  }, 600_000);

  it('goes together with any other', async () => {
    for (const resource of searchable()) {
      const all = records.get(resource.type) ?? [];
      const byParameter = parametersOf(resource).map(parameter => {
        const values = new Map(all.map(one => [one.id, evaluate(parameter, one)]));
        return { values, cases: casesOf(parameter, [...values.values()].flat().slice(0, 50), server.base, toronto) };
      });
      for (const [at, first] of byParameter.entries()) {
        for (const second of byParameter.slice(at + 1)) {
          for (const [one, other] of pairs(first.cases, second.cases)) {
            const expected = all.filter(
              ({ id }) => one.finds(first.values.get(id) ?? []) && other.finds(second.values.get(id) ?? []),
            );
            const query = `${one.query}&${other.query}`;
            const actual = await found(resource.type, `${query}&_count=1000`);
            expect(actual.toSorted(), `${resource.type}?${query}`).toEqual(expected.map(({ id }) => id).toSorted());
          }
        }
      }
    }
  }, 600_000);

  it('of type date sorts in either direction, missing values last', async () => {
    for (const resource of searchable()) {
      for (const parameter of parametersOf(resource).filter(({ type }) => type === 'date')) {
        const keys = (records.get(resource.type) ?? []).map(one => ({
          id: one.id,
          lows: evaluate(parameter, one).map(value => intervalOf(value, toronto).from),
        }));
        for (const direction of [1, -1]) {
          const key = (lows: readonly number[]): number =>
            lows.length === 0 ? Infinity : direction * (direction === 1 ? Math.min(...lows) : Math.max(...lows));
          const expected = keys
            .map(({ id, lows }) => ({ id, key: key(lows) }))
            .sort((a, b) => compare(a.key, b.key) || direction * compare(a.id, b.id));
          const sort = `${direction === 1 ? '' : '-'}${parameter.name}`;
          const actual = await found(resource.type, `_sort=${sort}&_count=333`);
          expect(actual, `${resource.type}?_sort=${sort}`).toEqual(expected.map(({ id }) => id));
        }
      }
    }
  }, 120_000);
});

const compare = <T>(a: T, b: T): number => (a === b ? 0 : a < b ? -1 : 1);

/** A few pairs of cases, far from each other. */
const pairs = (first: readonly Case[], second: readonly Case[]): [Case, Case][] =>
  spread(first, 3).flatMap((one, at): [Case, Case][] => {
    const other = spread(second, 3)[2 - at] ?? second[0];
    return other === undefined ? [] : [[one, other]];
  });

describe('each declared interaction', () => {
  it('read gives each record as it is stored', async () => {
    for (const resource of declared.filter(one => has(one, 'read'))) {
      for (const { id } of spread(records.get(resource.type) ?? [], 20)) {
        const stored = await server.partition.read(resource.type, id);
        const { status, text } = await server.get(`/${resource.type}/${id}`);
        expect([status, text]).toEqual([200, stored?.text]);
      }
    }
  });

  it('search-type without parameters gives every record once, page by page', async () => {
    for (const { type } of searchable()) {
      const ids = await found(type, '_count=250');
      expect(ids.toSorted()).toEqual((records.get(type) ?? []).map(({ id }) => id).toSorted());
    }
  });

  it('create makes a record, as it is answered and stored', async () => {
    const creatable = declared.filter(one => has(one, 'create')).map(({ type }) => type);
    expect(creatable).toEqual(['Media']);
    const subject = { reference: `Patient/${records.get('Patient')?.[0]?.id ?? ''}` };
    const { status, text, json } = await post(server, 'Media', media({ subject }));
    expect([status, (await server.partition.read('Media', json.id))?.text]).toEqual([201, text]);
  });
});

describe('what is not declared', () => {
  it('each interaction is 405 on a declared type', async () => {
    const requests: Record<(typeof typeInteractions)[number], readonly [method: string, path: string][]> = {
      read: [['GET', '/x']],
      vread: [['GET', '/x/_history/1']],
      update: [['PUT', '/x'], ['PUT', '?_id=x']], // prettier-ignore
      patch: [['PATCH', '/x'], ['PATCH', '?_id=x']], // prettier-ignore
      delete: [['DELETE', '/x'], ['DELETE', '?_id=x']], // prettier-ignore
      'history-instance': [['GET', '/x/_history']],
      'history-type': [['GET', '/_history']],
      create: [['POST', '']],
      'search-type': [['GET', ''], ['POST', '/_search']], // prettier-ignore
    };
    for (const resource of declared) {
      for (const code of typeInteractions.filter(code => !has(resource, code))) {
        for (const [method, path] of requests[code]) {
          const { status, headers } = await server.ask(method, `/${resource.type}${path}`);
          expect([status, typeof headers.allow], `${method} /${resource.type}${path}`).toEqual([405, 'string']);
          expect(headers.allow?.split(', ')).not.toContain(method);
        }
      }
    }
  });

  it('each official search parameter is 400 on a type that does not offer it', async () => {
    const official = readOfficialSearchParameters() as unknown as { code: string; base: string[] }[];
    for (const resource of searchable()) {
      const offered = parametersOf(resource).map(({ name }) => name);
      const own = official.filter(({ base }) => base.includes(resource.type) || base.includes('Resource'));
      for (const code of new Set(own.map(({ code }) => code))) {
        if (offered.includes(code)) continue;
        const { status, json } = await server.get(`/${resource.type}?${code}=x`);
        expect([status, json.issue[0].severity], `${resource.type}?${code}`).toEqual([400, 'error']);
      }
    }
  });

  it('each other resource type is 404, and so are operations and compartments', async () => {
    const types = readTypeDefinitions().resourceTypes;
    for (const type of types) {
      if (declared.some(one => one.type === type)) continue;
      for (const path of [`/${type}`, `/${type}/x`]) {
        expect([path, (await server.get(path)).status]).toEqual([path, 404]);
      }
    }
    for (const { type } of declared) {
      for (const path of ['/$validate', '/x/$everything', '/x/Observation', '/x/*']) {
        expect((await server.get(`/${type}${path}`)).status, `${type}${path}`).toBe(404);
      }
    }
  });
});
