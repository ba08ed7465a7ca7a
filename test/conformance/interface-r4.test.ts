// `--interface r4`: every type that R4 stores, with every interaction. https://hl7.org/fhir/R4/http.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTemplate } from '../../src/guide/template.ts';
import { typeInteractions, systemInteractions } from '../../src/fhir/interaction.ts';
import { servedInteractions } from '../../src/model/interactions.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';
import { examples } from '../fhirpath/judge.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';

const headers = { 'Content-Type': 'application/fhir+json' };
// A Binary is answered with its content otherwise.
const fhir = { Accept: 'application/fhir+json' };
const patchHeaders = { 'Content-Type': 'application/json-patch+json' };
const tagged = [{ system: 'urn:test', code: 'patched' }];
const patch = JSON.stringify([{ op: 'replace', path: '/meta/tag/0/code', value: 'patched' }]);

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--interface', 'r4', '--max-body', '4000000']);
}, 120_000);
afterAll(() => server.close());

const send = (method: string, path: string, body?: object): Promise<Answer> =>
  server.ask(method, path, body === undefined ? {} : { headers, body: JSON.stringify(body) });

describe('/metadata of the interface r4', () => {
  it('declares every type but those that are omitted, with every interaction', async () => {
    const { json } = await server.get('/metadata');
    const [rest] = json.rest;
    const omitted = readTemplate().omitted.map(({ type }) => type);
    const types = [...readTypeDefinitions().resourceTypes].filter(type => !omitted.includes(type));
    expect(rest.resource.map(({ type }: { type: string }) => type)).toEqual(types);
    const served = (codes: readonly string[]): readonly string[] =>
      codes.filter(code => servedInteractions.some(one => one === code)).toSorted();
    const codesOf = (of: { interaction: { code: string }[] }): string[] =>
      of.interaction.map(({ code }) => code).sort();
    for (const resource of rest.resource)
      expect([resource.type, codesOf(resource)]).toEqual([resource.type, served(typeInteractions)]);
    expect(codesOf(rest)).toEqual(served(systemInteractions));
    expect(rest.compartment).toHaveLength(5);
  });

  it('is a valid CapabilityStatement', async () => {
    const { text } = await server.get('/metadata');
    expect(text.length).toBeGreaterThan(1_000_000);
    const { status, json } = await server.ask('POST', '/CapabilityStatement/$validate', { headers, body: text });
    const found = json.issue.map(({ severity, expression }: Issue) => `${severity} ${expression?.join()}`);
    expect([status, found]).toEqual([200, ['warning CapabilityStatement']]); // it has no narrative
  });
});

describe('a record of each type', () => {
  const byType = Map.groupBy(examples(), ({ resource: { resourceType } }) => resourceType);
  byType.delete('Parameters');

  it('is created, read, found, updated, patched, deleted and has a history', async () => {
    const refused: string[] = [];
    for (const [type, of] of byType) {
      const created = await createOne(of.map(({ resource }) => resource));
      const [, id] = /\/(\w[^/]*)\/_history\/1$/.exec(created?.headers.location ?? '') ?? [];
      if (created === undefined || id === undefined) {
        refused.push(type);
        continue;
      }
      const path = `/${type}/${id}`;
      const read = await server.get(path, fhir);
      expect([type, read.status, read.headers.etag, read.json]).toEqual([type, 200, 'W/"1"', created.json]);
      expect([type, (await server.get(`/${type}?_id=${id}`)).json.entry.length]).toEqual([type, 1]);
      const changed = { ...read.json, meta: { ...read.json.meta, tag: [{ system: 'urn:test', code: 'changed' }] } };
      const updated = await send('PUT', path, changed);
      expect([type, updated.status, updated.headers.etag]).toEqual([type, 200, 'W/"2"']);
      expect([type, (await server.get(`/${type}?_tag=urn:test|changed`)).json.entry.length]).toEqual([type, 1]);
      const patched = await server.ask('PATCH', path, { headers: patchHeaders, body: patch });
      expect([type, patched.status, patched.headers.etag, patched.json.meta?.tag]).toEqual([
        type,
        200,
        'W/"3"',
        tagged,
      ]);
      const removed = await send('DELETE', path);
      expect([type, removed.status]).toEqual([type, 204]);
      expect((await server.get(path)).status).toBe(410);
      const { entry } = (await server.get(`${path}/_history`)).json;
      const methods = entry.map(({ request }: { request: { method: string } }) => request.method);
      expect([type, methods]).toEqual([type, ['DELETE', 'PUT', 'PUT', 'POST']]);
      expect((await server.get(`${path}/_history/1`, fhir)).text).toBe(read.text);
    }
    expect(byType.size).toBeGreaterThan(138);
    expect(refused).toEqual(breakingRules);
  }, 120_000);
});

it('Parameters has no endpoint, as in R4', async () => {
  expect((await send('POST', '/Parameters', { resourceType: 'Parameters' })).status).toBe(404);
});

/** Types whose only example breaks a rule of R4: targets, a narrative without text, a malformed `urn:uuid`. */
const breakingRules = ['DeviceMetric', 'DeviceUseStatement', 'EventDefinition', 'TerminologyCapabilities'];

/** Creates the first of these that is valid: a definition that is shipped already, by a url and a code of its own. */
async function createOne(
  of: readonly {
    readonly resourceType: string;
    readonly id?: string;
    readonly url?: string;
    readonly code?: unknown;
  }[],
): Promise<Answer | undefined> {
  for (const { id: _, ...content } of of) {
    const path = `/${content.resourceType}`;
    const first = await send('POST', path, content);
    const own = { ...content, url: `${content.url}-own`, ...(content.code === undefined ? {} : { code: 'own' }) };
    const answer = first.status === 409 ? await send('POST', path, own) : first;
    if (answer.status === 201) return answer;
    expect([content.resourceType, answer.status]).toEqual([content.resourceType, 422]);
  }
  return undefined;
}

interface Issue {
  readonly severity: string;
  readonly expression?: readonly string[];
}
