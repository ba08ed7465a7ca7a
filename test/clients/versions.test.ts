// What fhir-kit-client and Medplum's client make of updates, patches, deletes and versions.
import { MedplumClient } from '@medplum/core';
import { Client } from 'fhir-kit-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { communication, everything, noted, serveVersioned } from '../support/versioned.ts';
import type { VersionedServer } from '../support/versioned.ts';

let server: VersionedServer;
let client: Client;
beforeAll(async () => {
  server = await serveVersioned();
  const customHeaders = { ...server.authorized(everything) };
  client = new Client({ baseUrl: server.base, customHeaders });
});
afterAll(() => server.close());

const type = { resourceType: 'Communication' };
const versionOf = (resource: unknown) => (resource as { meta: { versionId: string } }).meta.versionId;
const lengthOf = (bundle: unknown) => (bundle as { entry: unknown[] }).entry.length;

it('fhir-kit-client creates, updates, reads versions and histories, and deletes', async () => {
  const created: unknown = await client.create({ ...type, body: communication(undefined, noted('one')) });
  const { id } = created as { id: string };
  const updated = await client.update({ ...type, id, body: communication(id, noted('two')) });
  expect([versionOf(created), versionOf(updated)]).toEqual(['1', '2']);
  expect(versionOf(await client.vread({ ...type, id, version: '1' }))).toBe('1');
  expect(lengthOf(await client.history({ ...type, id }))).toBe(2);
  expect(lengthOf(await client.history({ ...type }))).toBe(2);
  expect(lengthOf(await client.history({}))).toBe(4);
  await client.delete({ ...type, id });
  await expect(client.read({ ...type, id })).rejects.toMatchObject({ response: { status: 410 } });
  await expect(
    client.update({ ...type, id: 'x', body: communication('x'), options: { headers: { 'If-Match': 'W/"1"' } } }),
  ).rejects.toMatchObject({ response: { status: 412 } });
  const searchParams = { identifier: 'urn:call|kit' };
  const body = communication(undefined, { identifier: [{ system: 'urn:call', value: 'kit' }] });
  expect(versionOf(await client.update({ ...type, searchParams, body }))).toBe('1');
});

const changed = (text: string) => [{ op: 'replace' as const, path: '/note/0/text', value: text }];

it('fhir-kit-client patches', async () => {
  const created: unknown = await client.create({ ...type, body: communication(undefined, noted('one')) });
  const { id } = created as { id: string };
  const patched: unknown = await client.patch({ ...type, id, jsonPatch: changed('two') });
  expect(patched).toMatchObject({ note: [{ text: 'two' }], meta: { versionId: '2' } });
  const late = client.patch({ ...type, id, jsonPatch: changed('x'), options: { headers: { 'If-Match': 'W/"1"' } } });
  await expect(late).rejects.toMatchObject({ response: { status: 412 } });
});

it('MedplumClient patches, with a version and without', async () => {
  const medplum = new MedplumClient({ baseUrl: server.running.url, fhirUrlPath: 'r4/demo' });
  medplum.setAccessToken(server.authorized(everything).Authorization?.slice('Bearer '.length) ?? '');
  await server.put('/Communication/plum', communication('plum', noted('one')));
  const patched = await medplum.patchResource('Communication', 'plum', changed('two'));
  expect(patched).toMatchObject({ note: [{ text: 'two' }], meta: { versionId: '2' } });
  const late = medplum.patchResource('Communication', 'plum', [
    { op: 'test', path: '/meta/versionId', value: '1' },
    ...changed('three'),
  ]);
  await expect(late).rejects.toMatchObject({ outcome: { issue: [{ code: 'conflict' }] } });
});
