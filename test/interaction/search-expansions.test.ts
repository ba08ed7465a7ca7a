// Sets of codes from a terminology server. https://hl7.org/fhir/R4/valueset-operation-expand.html
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { objectsOf } from '../../src/fhir/json-object.ts';
import { serve, type Served } from '../support/serve.ts';
import { terminologyServer, type Behaviour } from '../support/terminology-server.ts';

const sct = 'http://snomed.info/sct';
const coded = (id: string, code: string): object => ({
  resourceType: 'Condition',
  id,
  code: { coding: [{ system: sct, code }] },
  subject: { reference: 'Patient/p' },
});
const expansion = (codes: readonly string[], more: object = {}): Behaviour => ({
  body: {
    resourceType: 'ValueSet',
    expansion: { total: codes.length, contains: codes.map(code => ({ system: sct, code })), ...more },
  },
});

let server: Served;
let closeServer: () => void;
let tx: Awaited<ReturnType<typeof terminologyServer>>;
beforeAll(async () => {
  tx = await terminologyServer({ status: 500 }, close => {
    closeServer = close;
  });
  const capability = join(import.meta.dirname, '../fixtures/all-r4/capability');
  const flags = ['--capability', capability, '--terminology-server', tx.url];
  server = await serve([coded('c1', '1'), coded('c2', '2'), coded('c3', '3')], flags);
}, 120_000);
afterAll(async () => {
  await server.close();
  closeServer();
});

async function find(search: string): Promise<string> {
  const { status, json } = await server.get(`/Condition?${search}&_sort=_id`);
  if (status !== 200) return `${status} ${json.issue[0].code}: ${json.issue[0].diagnostics}`;
  return objectsOf(json.entry)
    .map(({ resource }) => (resource as { id: string }).id)
    .join(' ');
}

it('are asked for once, with nothing but the set', async () => {
  tx.behave(expansion(['1', '2']));
  expect(await find('code:in=http://tx.example/vs/a|2')).toBe('c1 c2');
  expect(await find('code:not-in=http://tx.example/vs/a|2')).toBe('c3');
  const asked = tx.received.filter(({ all }) => all.includes('http://tx.example/vs/a'));
  expect(asked).toHaveLength(1);
  expect(asked[0]?.path).toBe('/r4/ValueSet/$expand');
  const body: unknown = JSON.parse(asked[0]?.all.split('\n').at(-1) ?? '');
  expect(body).toEqual({
    resourceType: 'Parameters',
    parameter: [
      { name: 'url', valueUri: 'http://tx.example/vs/a' },
      { name: 'valueSetVersion', valueString: '2' },
      { name: 'count', valueInteger: 10_001 },
    ],
  });
});

it('are the concepts below one, and above one', async () => {
  tx.behave(expansion(['2', '3']));
  expect(await find(`code:below=${sct}|2`)).toBe('c2 c3');
  expect(tx.received.at(-1)?.all).toContain('[{"property":"concept","op":"is-a","value":"2"}]');
  tx.behave(expansion(['2', '1']));
  expect(await find(`code:above=${sct}|2`)).toBe('c1 c2');
  expect(tx.received.at(-1)?.all).toContain('[{"property":"concept","op":"generalizes","value":"2"}]');
});

it('may be empty', async () => {
  tx.behave(expansion([]));
  expect(await find('code:in=http://tx.example/vs/empty')).toBe('');
});

it('may be empty without a total', async () => {
  for (const [name, list] of Object.entries({ none: {}, empty: { contains: [] } })) {
    tx.behave({ body: { resourceType: 'ValueSet', expansion: { timestamp: '2026-01-01', ...list } } });
    expect(await find(`code:in=http://tx.example/vs/${name}`)).toBe('');
  }
});

it('are refused with what the server said', async () => {
  const issue = [{ severity: 'error', code: 'not-found', details: { text: `No such set ${'x'.repeat(1_000)}` } }];
  tx.behave({ status: 404, body: { resourceType: 'OperationOutcome', issue } });
  const text = await find('code:in=http://tx.example/vs/unknown');
  expect(text).toContain(
    'no ValueSet `http://tx.example/vs/unknown` is loaded, and the terminology server answered 404 `not-found`: ' +
      '`No such set xxx',
  );
  expect(text.length).toBeLessThan(700);
});

it.each<[title: string, behaviour: Behaviour]>([
  ['a part of an expansion', expansion(['1'], { total: 20_000 })],
  ['an expansion of too many codes', expansion(Array.from({ length: 10_001 }, (_, at) => String(at)))],
  ['a refusal', { status: 404, body: { resourceType: 'OperationOutcome' } }],
  ['something else', { body: { resourceType: 'Bundle' } }],
])('are refused with %s', async (title, behaviour) => {
  tx.behave(behaviour);
  const text = await find(`code:in=http://tx.example/vs/${encodeURIComponent(title.replaceAll(' ', '-'))}`);
  expect(text).toContain('400 not-supported: `code:in=http://tx.example/vs/');
});

it('are not asked for where the definitions have them', async () => {
  const before = tx.received.length;
  const clinical = 'http://terminology.hl7.org/CodeSystem/condition-clinical';
  expect(await find(`clinical-status:below=${clinical}|active`)).toBe('');
  expect(tx.received).toHaveLength(before);
});

it('are 503 while the server does not answer', async () => {
  tx.behave({ status: 500 });
  expect(await find('code:in=http://tx.example/vs/silent')).toContain('503 transient: The terminology server, which');
});
