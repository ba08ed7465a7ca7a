// What the loaded definitions cannot answer is asked of the terminology server, with nothing else of the call.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../../support/serve.ts';
import type { Served } from '../../support/serve.ts';
import { result, terminologyServer } from '../../support/terminology-server.ts';
import { flags, parameters, post, printed } from './support.ts';

const snomed = 'http://snomed.info/sct';
const set = 'http://snomed.info/sct?fhir_vs=isa/73211009';
const known = { resourceType: 'ValueSet', status: 'active', expansion: { timestamp: '2026-01-01', total: 0 } };

type Terminology = Awaited<ReturnType<typeof terminologyServer>>;
let terminology: Terminology;
let close: () => void;
let server: Served;
beforeAll(async () => {
  terminology = await terminologyServer({ body: known }, ending => (close = ending));
  const url = ['--terminology-server', terminology.url, '--terminology-timeout', '1'];
  server = await serve([], [...flags, ...url]);
});
afterAll(async () => {
  await server.close();
  close();
});
beforeEach(() => {
  terminology.received.length = 0;
});

/** The path and the Parameters of the last call. */
function lastCall(): readonly [string | undefined, unknown] {
  const call = terminology.received.at(-1);
  return [call?.path, JSON.parse(call?.all.split('\n').at(-1) ?? '{}')];
}

describe('the terminology server', () => {
  it('expands what is not loaded', async () => {
    const { json } = await server.get(`/ValueSet/$expand?url=${encodeURIComponent(set)}&filter=type%202&count=10`);
    expect(json).toEqual(known);
    expect(lastCall()).toEqual([
      '/r4/ValueSet/$expand',
      parameters(
        { name: 'url', valueUri: set },
        { name: 'filter', valueString: 'type 2' },
        { name: 'count', valueInteger: 10 },
      ),
    ]);
  });

  it.each<[string, string, object, object]>([
    [
      'looks up a code',
      'CodeSystem/$lookup',
      parameters({ name: 'coding', valueCoding: { system: snomed, code: '73211009', display: 'of a record' } }),
      parameters({ name: 'coding', valueCoding: { system: snomed, code: '73211009' } }),
    ],
    [
      'validates a code',
      'ValueSet/$validate-code',
      parameters(
        { name: 'url', valueUri: set },
        { name: 'system', valueUri: snomed },
        { name: 'code', valueCode: '73211009' },
        { name: 'display', valueString: 'of a record' },
      ),
      parameters(
        { name: 'url', valueUri: set },
        { name: 'code', valueCode: '73211009' },
        { name: 'system', valueUri: snomed },
      ),
    ],
    [
      'compares codes',
      'CodeSystem/$subsumes',
      parameters(
        { name: 'codeA', valueCode: '1' },
        { name: 'codeB', valueCode: '2' },
        { name: 'system', valueUri: snomed },
      ),
      parameters(
        { name: 'codeA', valueCode: '1' },
        { name: 'codeB', valueCode: '2' },
        { name: 'system', valueUri: snomed },
      ),
    ],
    [
      'translates a code',
      'ConceptMap/$translate',
      parameters(
        { name: 'url', valueUri: 'http://example.org/none' },
        { name: 'code', valueCode: '1' },
        { name: 'system', valueUri: snomed },
      ),
      parameters(
        { name: 'url', valueUri: 'http://example.org/none' },
        { name: 'code', valueCode: '1' },
        { name: 'system', valueUri: snomed },
      ),
    ],
  ])('%s', async (_what, path, body, sent) => {
    terminology.behave({ body: result(true) });
    expect(printed(await post(server, `/${path}`, body))).toBe('result=true');
    expect(lastCall()).toEqual([`/r4/${path}`, sent]);
    expect(terminology.received.at(-1)?.all).not.toContain('of a record');
  });

  it('is not asked for what is loaded', async () => {
    await server.get('/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/administrative-gender');
    await server.get('/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=none');
    expect(terminology.received).toEqual([]);
  });

  it.each<[string, string]>([
    ['a code that is a text', `/CodeSystem/$lookup?system=${snomed}&code=Ann%20is%20ill%20since%20last%20May`],
    ['a system that is no URI', '/CodeSystem/$lookup?system=Ann&code=1'],
    ['a long filter', `/ValueSet/$expand?url=http://example.org/none&filter=${'x'.repeat(65)}`],
  ])('is not sent %s', async (_what, path) => {
    expect((await server.get(path)).status).toBe(404);
    expect(terminology.received).toEqual([]);
  });

  it.each([400, 404, 422])('may not know it either: %i', async status => {
    terminology.behave({ status, body: { resourceType: 'OperationOutcome' } });
    const answer = await server.get(`/CodeSystem/$lookup?system=${snomed}&code=1`);
    expect([answer.status, answer.json.issue[0].code]).toEqual([404, 'not-found']);
    expect(answer.json.issue[0].diagnostics).toContain(` The terminology server answered ${status}.`);
  });

  it.each<[string, Parameters<Terminology['behave']>[0]]>([
    ['does not answer', 'silence'],
    ['fails', { status: 500 }],
    ['answers no JSON', { text: '<html>' }],
  ])('is reported if it %s', async (_what, behaviour) => {
    terminology.behave(behaviour);
    const { status, json, headers } = await server.get(`/CodeSystem/$lookup?system=${snomed}&code=1`);
    expect([status, json.issue[0].code, headers['retry-after']]).toEqual([503, 'transient', '30']);
  });
});
