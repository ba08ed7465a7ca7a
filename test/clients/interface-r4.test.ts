// Published clients, unmodified, that write to the interface r4 with the scopes of a clinician.
import { ClientStorage, MedplumClient, MemoryStorage } from '@medplum/core';
import { Client as KitClient } from 'fhir-kit-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../smart/support/browser.ts';
import { follow, launchApp, read, refresh } from '../smart/support/flow.ts';
import type { Authorizing } from '../smart/support/server.ts';
import { nodeApp } from './support/node-app.ts';
import type { Client as SmartClient, NodeApp } from './support/node-app.ts';
import { service } from './support/service.ts';

const scope = 'launch/patient openid fhirUser user/*.cruds';

let server: Authorizing;
let app: NodeApp;
let token: string;
beforeAll(async () => {
  [server, app] = await Promise.all([service(0, { flags: ['--interface', 'r4'] }), nodeApp()]);
  token = (await launchApp(server, { scope })).json.access_token;
}, 60_000);
afterAll(() => Promise.all([server.close(), app.close()]));

describe('a wildcard', () => {
  it('is one scope of a token, also on every type for a patient and a user, and at a refresh', async () => {
    const wide = 'launch/patient offline_access patient/*.rs user/*.rs';
    const { json } = await launchApp(server, { scope: wide });
    expect(json.scope).toBe(wide);
    expect((await read(server, json.access_token, '/Organization')).status).toBe(200);
    const { json: next } = await refresh(server, json.refresh_token, { scope: 'user/Organization.r patient/*.read' });
    expect(next.scope).toBe('user/Organization.r patient/*.read');
    expect((await read(server, next.access_token, '/Organization')).status).toBe(403);
    expect((await read(server, next.access_token, '/Observation')).status).toBe(200);
  });
});

interface Stored {
  readonly id: string;
  readonly meta: { readonly versionId: string };
}

const organization = (name: string, more: object = {}): { resourceType: 'Organization' } =>
  Object.assign({ resourceType: 'Organization' as const, name }, more);
const identifier = (value: string): object => ({ identifier: [{ system: 'urn:clinics', value }] });
const versions = (bundle: unknown): readonly string[] =>
  (bundle as { entry: { request: { method: string } }[] }).entry.map(({ request }) => request.method);

describe('fhir-kit-client', () => {
  const type = { resourceType: 'Organization' };
  let client: KitClient;
  beforeAll(() => {
    client = new KitClient({ baseUrl: server.base, bearerToken: token });
  });
  const stored = async (answer: Promise<unknown>): Promise<Stored> => (await answer) as Stored;

  it('creates, updates, deletes, and reads versions and histories', async () => {
    const { id } = await stored(client.create({ ...type, body: organization('One') }));
    const body = organization('Two', { id });
    expect(await client.update({ ...type, id, body })).toMatchObject({ meta: { versionId: '2' }, name: 'Two' });
    expect(await client.vread({ ...type, id, version: '1' })).toMatchObject({ name: 'One' });
    await client.delete({ ...type, id });
    await expect(client.read({ ...type, id })).rejects.toMatchObject({ response: { status: 410 } });
    expect(versions(await client.history({ ...type, id }))).toEqual(['DELETE', 'PUT', 'POST']);
    expect(versions(await client.history({ ...type })).slice(0, 3)).toEqual(['DELETE', 'PUT', 'POST']);
    expect(versions(await client.history()).slice(0, 3)).toEqual(['DELETE', 'PUT', 'POST']);
  });

  it('creates and updates on conditions', async () => {
    const headers = { 'If-None-Exist': 'identifier=urn:clinics|kit' };
    const once = { ...type, body: organization('Once', identifier('kit')), options: { headers } };
    const first = await stored(client.create(once));
    expect(await stored(client.create(once))).toEqual(first);
    const searchParams = { identifier: 'urn:clinics|kit' };
    const body = organization('Changed', identifier('kit'));
    const changed = await stored(client.update({ ...type, searchParams, body }));
    expect([changed.id, changed.meta.versionId]).toEqual([first.id, '2']);
    const stale = { ...type, id: first.id, body: organization('Late', { id: first.id }) };
    await expect(client.update({ ...stale, options: { headers: { 'If-Match': 'W/"1"' } } })).rejects.toMatchObject({
      response: { status: 412 },
    });
  });

  it('patches', async () => {
    const { id } = await stored(client.create({ ...type, body: organization('One') }));
    const jsonPatch = [{ op: 'replace' as const, path: '/name', value: 'Two' }];
    expect(await client.patch({ ...type, id, jsonPatch })).toMatchObject({ name: 'Two', meta: { versionId: '2' } });
  });
});

describe('MedplumClient', () => {
  let client: MedplumClient;
  beforeAll(() => {
    const storage = new ClientStorage(new MemoryStorage());
    client = new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo', storage });
    client.setAccessToken(token);
  });

  it('creates, updates, deletes, and reads the history', async () => {
    const created = await client.createResource({ resourceType: 'Organization', name: 'One' });
    const updated = await client.updateResource({ ...created, name: 'Two' });
    expect(updated).toMatchObject({ id: created.id, name: 'Two', meta: { versionId: '2' } });
    expect(await client.updateResource(updated)).toMatchObject({ meta: { versionId: '2' } }); // nothing changed
    expect(await client.readVersion('Organization', created.id, '1')).toMatchObject({ name: 'One' });
    expect(versions(await client.readHistory('Organization', created.id))).toEqual(['PUT', 'POST']);
    await client.deleteResource('Organization', created.id);
    client.invalidateAll();
    await expect(client.readResource('Organization', created.id)).rejects.toThrow('deleted');
    expect(versions(await client.readHistory('Organization', created.id))).toEqual(['DELETE', 'PUT', 'POST']);
  });

  it('creates or updates by a search', async () => {
    const query = 'identifier=urn:clinics|medplum';
    const clinic = { resourceType: 'Organization' as const, identifier: [{ system: 'urn:clinics', value: 'medplum' }] };
    const first = await client.createResourceIfNoneExist(clinic, query);
    expect(await client.createResourceIfNoneExist(clinic, query)).toEqual(first);
    const named = await client.upsertResource({ ...clinic, name: 'Named' }, query);
    expect(named).toMatchObject({ id: first.id, name: 'Named', meta: { versionId: '2' } });
    const other = { ...clinic, identifier: [{ system: 'urn:clinics', value: 'new' }] };
    expect(await client.upsertResource(other, 'identifier=urn:clinics|new')).toMatchObject({
      meta: { versionId: '1' },
    });
  });

  it('patches', async () => {
    const { id } = await client.createResource({ resourceType: 'Organization', name: 'One' });
    const patched = await client.patchResource('Organization', id, [{ op: 'replace', path: '/name', value: 'Two' }]);
    expect(patched).toMatchObject({ name: 'Two', meta: { versionId: '2' } });
  });
});

describe('fhirclient', () => {
  let client: SmartClient;
  beforeAll(async () => {
    await server.addClient({ id: 'writer', redirectUris: [app.redirectUri], launchUrls: [app.launchUrl] });
    const given = { clientId: 'writer', redirectUri: 'callback', pkceMode: 'required', scope, iss: server.base };
    const { url } = await follow(server, new Browser(server.running.url), await app.authorize(given));
    client = await app.ready(url);
  });

  it('creates, updates and deletes', async () => {
    const created = (await client.create(organization('One'))) as Stored;
    const updated = await client.update({ ...created, name: 'Two' });
    expect(updated).toMatchObject({ id: created.id, name: 'Two', meta: { versionId: '2' } });
    await client.delete(`Organization/${created.id}`);
    await expect(client.request(`Organization/${created.id}`)).rejects.toMatchObject({ status: 410 });
  });

  it('patches', async () => {
    const { id } = (await client.create(organization('One'))) as Stored;
    const patched = await client.patch(`Organization/${id}`, [{ op: 'replace', path: '/name', value: 'Two' }]);
    expect(patched).toMatchObject({ name: 'Two', meta: { versionId: '2' } });
  });
});
