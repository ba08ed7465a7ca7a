// Definitions change between two requests: https://hl7.org/fhir/R4/capabilitystatement.html describes those in use.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireModel } from '../../src/engine/definitions/load-model.ts';
import { readEvents } from '../../src/audit/read-events.ts';
import { createLog } from '../../src/observability/log.ts';
import { createDefinitionSets } from '../../src/store/server/definition-sets.ts';
import { list } from '../store/support/list.ts';
import { auditOf } from '../support/audit-of.ts';
import { serve, type Served } from '../support/serve.ts';

const ninth = join(import.meta.dirname, '../fixtures/ninth-type');

let folder: string;
let server: Served;

/** Writes a capability file for Organization that offers these parameters of R4. */
function declare(params: readonly { name: string; type: string }[], more: object = {}): void {
  const searchParam = params.map(one => ({
    ...one,
    definition: `http://hl7.org/fhir/SearchParameter/Organization-${one.name}`,
  }));
  const statement = {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date: '2026-01-01',
    kind: 'capability',
    fhirVersion: '4.0.1',
    format: ['json'],
    rest: [
      {
        mode: 'server',
        interaction: [{ code: 'batch' }],
        resource: [
          {
            type: 'Organization',
            interaction: ['read', 'search-type', 'create', 'update'].map(code => ({ code })),
            searchParam,
            ...more,
          },
        ],
      },
    ],
  };
  write('capability/one.json', JSON.stringify(statement));
}

const [name, address] = [
  { name: 'name', type: 'string' },
  { name: 'address', type: 'string' },
];

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const start = async (...flags: readonly string[]): Promise<void> => {
  server = await serve([], ['--definitions', folder, ...flags], undefined, { load: requireModel });
};
const reload = () => server.running.definitions.reload();
const metadata = async () => (await server.get('/metadata')).json;
const create = (body: object, resourceType = 'Organization') =>
  server.ask('POST', `/${resourceType}`, {
    headers: { 'Content-Type': 'application/fhir+json' },
    body: JSON.stringify({ resourceType, ...body }),
  });

const found = async (path: string): Promise<number> => (await server.get(path)).json.entry.length;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'live-'));
  mkdirSync(join(folder, 'capability'));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('reload', () => {
  it('serves a ninth type in three files', async () => {
    await start();
    expect((await server.get('/Practitioner?name=a')).status).toBe(405);
    const before = await metadata();
    cpSync(ninth, folder, { recursive: true });
    expect(await reload()).toMatchObject({ kind: 'changed', added: [], removed: [] });
    const made = await create(
      {
        name: [{ family: 'Roy' }],
        qualification: [{ identifier: [{ value: '81' }], code: { text: 'MD' } }],
      },
      'Practitioner',
    );
    expect(made.status).toBe(201);
    expect(await found('/Practitioner?name=roy&license=81')).toBe(1);
    const after = await metadata();
    expect(after.rest[0].resource.map(({ type }: { type: string }) => type)).toContain('Practitioner');
    expect(after.version).not.toBe(before.version);
    expect(Date.parse(after.date)).toBeGreaterThan(Date.parse(before.date));
    expect((await server.get('/openapi.json')).json.paths).toHaveProperty('/Practitioner');
    // its profile: a name and a qualification
    expect(
      (
        await create(
          { meta: { profile: ['https://example.org/fhir/StructureDefinition/licensed-practitioner'] } },
          'Practitioner',
        )
      ).status,
    ).toBe(422);
  });

  it('of the same files changes nothing, not even the date', async () => {
    declare([name]);
    await start();
    const before = await metadata();
    expect((await reload()).kind).toBe('unchanged');
    expect(await metadata()).toEqual(before);
  });

  it('takes a type away, and its records stay', async () => {
    declare([name]);
    await start();
    const { json } = await create({ name: 'Roy' });
    rmSync(join(folder, 'capability/one.json'));
    expect(await reload()).toMatchObject({ kind: 'changed', added: [], removed: ['Organization'] });
    expect((await server.get(`/Organization/${json.id}`)).status).toBe(404);
    declare([name]);
    await reload();
    expect((await server.get(`/Organization/${json.id}`)).json.name).toEqual('Roy');
    expect(await found('/Organization?name=roy')).toBe(1);
  });

  it('builds the index of a new parameter from the records that are stored', async () => {
    declare([name]);
    await start();
    await create({ name: 'Roy', address: [{ text: 'Here' }] });
    declare([name, address]);
    const change = await reload();
    expect(change).toMatchObject({ pending: [{ type: 'Organization', parameters: 1, of: 1 }] });
    expect([200, 503]).toContain((await server.get('/Organization?address=here')).status);
    await expect
      .poll(async () => (await server.get('/Organization?address=here')).status, { timeout: 20_000 })
      .toBe(200);
    expect(await found('/Organization?address=here')).toBe(1);
  });
});

describe('a faulty set changes nothing and is reported with file and path', () => {
  const faults: readonly (readonly [string, () => void, RegExp])[] = [
    ['a file that is not JSON', () => write('capability/one.json', '{ "resourceType": '), /one\.json: .*Line 1/],
    [
      'an unknown resource type',
      () => write('capability/two.json', '{"resourceType":"Pacient"}'),
      /two\.json resourceType/,
    ],
    ['a parameter that does not exist', () => declare([{ name: 'nmae', type: 'string' }]), /one\.json rest\[0\]/],
    [
      'an interaction that is not implemented',
      () => declare([name], { interaction: [{ code: 'search' }] }),
      /one\.json rest/,
    ],
    [
      'an expression that does not compile',
      () =>
        write(
          'searchparameters/p.json',
          JSON.stringify({
            resourceType: 'SearchParameter',
            url: 'http://hl7.org/fhir/SearchParameter/Organization-name',
            version: '9',
            status: 'active',
            name: 'P',
            description: 'P',
            code: 'name',
            base: ['Organization'],
            type: 'string',
            expression: 'Organization.nmae.((',
          }),
        ),
      /p\.json expression/,
    ],
    [
      'criteria of access that are no search',
      () =>
        declare([name], {
          extension: [
            {
              url: 'https://clinical-records.example/fhir/StructureDefinition/smart-scope',
              valueString: 'user/Organization.r',
            },
            {
              url: 'https://clinical-records.example/fhir/StructureDefinition/access-criteria',
              extension: [
                { url: 'context', valueCode: 'user' },
                { url: 'criteria', valueString: 'nmae=x' },
              ],
            },
          ],
        }),
      /one\.json .*`nmae`/,
    ],
    [
      'a profile of an element that does not exist',
      () => write('profiles/p.json', profile('Organization.nmae')),
      /p\.json .*Organization\.nmae/,
    ],
    ['a folder that is gone', () => rmSync(folder, { recursive: true }), /This does not exist/],
  ];

  it.each(faults)('%s', async (_, damage, expected) => {
    declare([name]);
    await start();
    const before = await metadata();
    damage();
    const change = await reload();
    expect(change).toMatchObject({ kind: 'refused' });
    expect('problems' in change ? change.problems.join('\n') : '').toMatch(expected);
    expect(await metadata()).toEqual(before);
    expect((await create({ name: 'Roy' })).status).toBe(201);
    expect(await found('/Organization?name=roy')).toBe(1);
    expect(await createDefinitionSets(server.running.engine.store).list()).toHaveLength(1);
  });
});

it('a refused reload is in a log of errors only, a change is not', async () => {
  const lines: string[] = [];
  const log = createLog('error', { write: text => lines.push(text) });
  server = await serve([], ['--definitions', folder], log, { load: requireModel });
  declare([name]);
  expect((await reload()).kind).toBe('changed');
  expect(lines).toEqual([]);
  write('profiles/p.json', profile('Organization.nmae'));
  expect((await reload()).kind).toBe('refused');
  const logged = lines.map(line => JSON.parse(line) as { level: string; text: string });
  expect(new Set(logged.map(({ level }) => level))).toEqual(new Set(['error']));
  expect(logged.map(({ text }) => text).join('\n')).toMatch(
    /Organization\.nmae[^]*\n.* the former ones stay in use\.$/,
  );
});

const profile = (path: string): string =>
  JSON.stringify({
    resourceType: 'StructureDefinition',
    url: 'https://example.org/fhir/StructureDefinition/p',
    name: 'P',
    status: 'active',
    fhirVersion: '4.0.1',
    kind: 'resource',
    abstract: false,
    type: 'Organization',
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Organization',
    derivation: 'constraint',
    differential: { element: [{ id: path, path, min: 1 }] },
  });

describe('rollback', () => {
  it('restores the set before, and the one before that by its version', async () => {
    await start();
    const first = (await metadata()).version;
    declare([name]);
    await reload();
    const second = (await metadata()).version;
    declare([name, address]);
    await reload();
    expect(await server.running.definitions.rollback()).toMatchObject({ kind: 'changed' });
    expect((await metadata()).version).toBe(second);
    expect((await server.get('/Organization?address=here')).status).toBe(400);
    expect(await server.running.definitions.rollback(first)).toMatchObject({ removed: ['Organization'] });
    expect((await server.get('/Organization')).status).toBe(404);
    expect(await server.running.definitions.rollback('nothing')).toMatchObject({
      kind: 'refused',
      problems: [expect.stringContaining('`nothing`')],
    });
    // the files again
    expect((await reload()).kind).toBe('changed');
    expect([200, 503]).toContain((await server.get('/Organization?address=here')).status);
  });

  it('and reloads are audit events, refused ones too', async () => {
    await start();
    declare([name]);
    await reload();
    const { version } = await metadata();
    write('capability/one.json', '{');
    await reload();
    await server.running.definitions.rollback();
    const events = async (): Promise<readonly unknown[]> => {
      const all = await list(readEvents(auditOf(server.running.engine.store)));
      return all
        .map(({ text }) => JSON.parse(text))
        .filter(({ subtype }) => subtype[0].code.startsWith('definitions-'))
        .map(({ subtype, outcome, entity }) => [
          subtype[0].code,
          outcome,
          ...entity[0].detail.map(({ valueString }: { valueString: string }) => valueString),
        ]);
    };
    await expect.poll(async () => (await events()).length).toBe(3);
    expect(await events()).toEqual([
      ['definitions-reload', '0', version, '10', expect.any(String)],
      ['definitions-reload', '4', expect.any(String)],
      ['definitions-rollback', '0', (await metadata()).version, expect.any(String), expect.any(String)],
    ]);
  });

  it('has the last five sets', async () => {
    await start();
    for (let at = 0; at < 6; at += 1) {
      declare([name], { documentation: `The ${at}th` });
      expect((await reload()).kind).toBe('changed');
    }
    const sets = createDefinitionSets(server.running.engine.store);
    const all = await sets.list();
    expect(all).toHaveLength(5);
    expect(all.map(({ activated }) => activated)).toEqual(
      all.map(({ activated }) => activated).toSorted((a, b) => b - a),
    );
    const oldest = all.at(-1)?.digest ?? '';
    expect(await server.running.definitions.rollback(oldest)).toMatchObject({
      kind: 'changed',
      set: { digest: oldest },
    });
  });
});

/** An entry of the answer to a batch. */
interface Answered {
  readonly response: { readonly status: string };
}

it('under load, each request sees one set of definitions, and none fails', async () => {
  const variants = [() => declare([name]), () => declare([address]), () => declare([name, address])];
  variants[2]?.();
  await start();
  const batch = (entry: readonly object[]) =>
    server.ask('POST', '', {
      headers: { 'Content-Type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
    });
  const query = (url: string): object => ({ request: { method: 'GET', url } });
  const outcomes = new Map<string, number>();
  const versions = new Map<string, Set<string>>();
  const over = new AbortController();
  const ask = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, json } = await batch([
        query('Organization?name=a'),
        query('Organization?address=here'),
        query('metadata'),
        query('Organization?name=a'),
      ]);
      expect(status).toBe(200);
      const [byName, byAddress, , again] = (json.entry as readonly Answered[]).map(one =>
        one.response.status.slice(0, 3),
      );
      expect([byName, again].includes('200') && [byName, again].includes('400')).toBe(false);
      const seen = [byName, byAddress].map(code => (code === '503' ? '200' : code)).join(' ');
      outcomes.set(seen, (outcomes.get(seen) ?? 0) + 1);
      const { version, rest } = await metadata();
      const declared = versions.get(version) ?? new Set();
      versions.set(version, declared.add(JSON.stringify(rest)));
      expect((await create({ name: 'A', address: [{ text: 'Here' }] })).status).toBe(201);
    }
  };
  const clients = [ask(), ask(), ask()];
  for (let at = 0; at < 12; at += 1) {
    variants[at % 3]?.();
    expect((await reload()).kind).toBe('changed');
    await new Promise(done => setTimeout(done, 20 * (at % 4)));
  }
  over.abort();
  await Promise.all(clients);
  expect(['200 200', '200 400', '400 200']).toEqual(expect.arrayContaining([...outcomes.keys()]));
  expect(versions.size).toBe(3);
  expect([...versions.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
  const total = async (): Promise<number | undefined> =>
    (await server.get('/Organization?address=here&_summary=count')).json.total;
  variants[2]?.();
  await reload();
  await expect.poll(total, { timeout: 20_000 }).toBe(await server.partition.count('Organization'));
}, 60_000);
