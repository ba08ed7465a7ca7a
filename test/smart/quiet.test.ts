import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { launchApp, post, refresh } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

const printed = (['log', 'info', 'warn', 'error'] as const).map(name =>
  vi.spyOn(console, name).mockImplementation(() => {}),
);

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

describe('the authorization server', () => {
  it('prints nothing, neither at its first use nor for a refusal', async () => {
    const { json } = await launchApp(server);
    await refresh(server, json.refresh_token);
    server.clock.now += 10_000;
    expect((await refresh(server, json.refresh_token)).status).toBe(400);
    expect((await post(server, '/token', { grant_type: 'authorization_code', client_id: 'app' })).status).toBe(400);
    expect(printed.flatMap(({ mock }) => mock.calls)).toEqual([]);
  });
});

describe('without it', () => {
  it.each([
    ['that is off', ['--authorization-server', 'off']],
    ['that is open to all', ['--access', 'open']],
  ])('a server %s has none of its addresses', async (_, flags) => {
    const bare = await authorizing({ flags });
    try {
      for (const path of [
        '/auth/authorize',
        '/auth/jwks',
        '/auth/sign-in',
        '/auth/launcher',
        '/auth/.well-known/openid-configuration',
      ])
        expect((await fetch(`${bare.running.url}${path}`)).status).toBe(404);
      expect((await post(bare, '/token', { grant_type: 'client_credentials' })).status).toBe(404);
      const smart = await fetch(`${bare.base}/.well-known/smart-configuration`);
      expect(await smart.text()).not.toContain('/auth/token');
    } finally {
      await bare.close();
    }
  });
});
