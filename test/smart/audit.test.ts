import { openStore } from '../../src/store/open.ts';
import * as t from '../store/support/fixture.ts';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import type { AuditEntry } from '../../src/store/audit/line.ts';
import { newStorePlace } from '../support/store-place.ts';
import { backendToken, credentials, launchApp, post, refresh } from './support/flow.ts';
import { authorizing, callback } from './support/server.ts';
import type { Authorizing } from './support/server.ts';
import { auditOf } from '../support/audit-of.ts';

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

/** The events about tokens since a time, once they are kept. */
async function events(since: number, count: number): Promise<readonly AuditEntry[]> {
  for (;;) {
    const found: AuditEntry[] = [];
    for await (const entry of readEvents(auditOf(server.store), {})) {
      if (entry.recorded >= since && /CodeSystem\/authorization/.test(entry.text)) found.push(entry);
    }
    if (found.length >= count) return found;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

const begin = (): number => (server.clock.now += 10_000);

describe('the audit', () => {
  it('records client, user, patient and scopes of issued, refreshed and revoked tokens, never a token', async () => {
    const since = begin();
    const { json } = await launchApp(server);
    const next = await refresh(server, json.refresh_token);
    const { form } = await credentials(server, 'app');
    await post(server, '/revoke', { token: next.json.refresh_token, ...form });
    const found = await events(since, 3);
    expect(found.map(({ client, partition, patients }) => [client, partition, patients])).toEqual([
      ['app', 'demo', ['ann']],
      ['app', 'demo', ['ann']],
      ['app', undefined, []],
    ]);
    const texts = found.map(({ text }) => text);
    expect(texts[0]).toContain('"code":"token-issued"');
    expect(texts[0]).toContain('"valueString":"authorization_code"');
    expect(texts[0]).toContain('clinician');
    expect(texts[1]).toContain('"valueString":"refresh_token"');
    expect(texts[2]).toContain('"code":"token-revoked"');
    for (const text of texts)
      for (const token of [json.access_token, json.refresh_token, next.json.access_token, next.json.refresh_token])
        expect(text.includes(token)).toBe(false);
  });

  it('has an event for each refusal of an authenticated client, and counts the others', async () => {
    const launched = begin();
    const { json } = await launchApp(server);
    await events(launched, 1); // which another process may make a moment after the answer
    const since = begin();
    await refresh(server, json.refresh_token);
    server.clock.now += 10_000; // the same token may be used again within this time
    await refresh(server, json.refresh_token);
    await backendToken(server, { scope: 'system/Media.c' });
    await post(server, '/token', { grant_type: 'refresh_token', client_id: 'nobody', refresh_token: 'any' });
    const [, ...found] = await events(since, 3);
    expect(found.map(({ client }) => client)).toEqual(['app', 'backend']);
    expect(found[0]?.text).toContain('"valueString":"invalid_grant"');
    expect(found[1]?.text).toContain('"valueString":"invalid_scope"');
    expect(found.every(({ text }) => text.includes('"code":"token-refused"'))).toBe(true);
  });

  it('is not filled by requests with the id of a public client, which is no secret', async () => {
    const since = begin();
    const code = { grant_type: 'authorization_code', redirect_uri: callback, code_verifier: 'v'.repeat(43) };
    const flood = Array.from({ length: 20 }, async (_, at) => [
      await refresh(server, `unknown-${at}`),
      await post(server, '/token', { ...code, client_id: 'app', code: `unknown-${at}` }),
      await post(server, '/token', { grant_type: 'client_credentials', client_id: 'app' }),
    ]);
    for (const { status } of (await Promise.all(flood)).flat()) expect(status).toBe(400);
    await backendToken(server, { scope: 'system/Media.c' });
    expect((await events(since, 1)).map(({ client }) => client)).toEqual(['backend']);
  });
});

describe('while events cannot be kept', () => {
  it('no client gets a token, and no page is shown', async () => {
    const place = await newStorePlace();
    const options = {
      model: t.modelOf(),
      extract: t.extract,
      now: Date.now,
      mode: 'command',
      deadline: 1_000,
    } as const;
    await (await openStore(place.url, options)).close(); // beside what a store has left no new one is made
    writeFileSync(`${place.url.slice('sqlite:'.length)}.audit`, 'in the place of the folder');
    const silent = await authorizing({ place: async () => place });
    try {
      // The first event cannot be kept; the server knows it soon after.
      for (let answer = await backendToken(silent); answer.status === 200; answer = await backendToken(silent));
      const answer = await backendToken(silent);
      expect([answer.status, answer.json.error]).toEqual([503, 'temporarily_unavailable']);
      expect(answer.headers['retry-after']).toBe('5');
      const page = await fetch(`${silent.issuer}/sign-in`);
      expect([page.status, page.headers.get('content-type')]).toEqual([503, expect.stringContaining('text/html')]);
      expect((await fetch(`${silent.issuer}/jwks`)).status).toBe(200);
    } finally {
      silent.faults.length = 0; // were logged
      await silent.close().catch(() => {}); // what was not kept is lost, which it says
    }
  });
});
