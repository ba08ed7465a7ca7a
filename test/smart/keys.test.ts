import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import type { JSONWebKeySet } from 'jose';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedBefore, rotateSigningKeys } from '../../src/smart/token/signing-keys.ts';
import { launchApp, refresh } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
beforeAll(async () => {
  server = await authorizing({ second: true });
});
afterAll(() => server.close());

const published = async (): Promise<JSONWebKeySet> =>
  (await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet;

describe('a rotation of the signing keys', () => {
  it('is published before it signs, keeps live tokens valid, and is used by every process', async () => {
    const before = await launchApp(server);
    const secret = readFileSync(server.keyFile, 'utf8').trim();
    const { kid, former } = await rotateSigningKeys(server.store, secret, () => server.clock.now);
    expect(decodeProtectedHeader(before.json.id_token).kid).toBe(former);

    server.clock.now += 10_000;
    expect(new Set((await published()).keys.map(key => key.kid))).toEqual(new Set([former, kid]));
    const soon = await refresh(server, before.json.refresh_token);
    expect(decodeProtectedHeader(soon.json.id_token).kid).toBe(former);

    server.clock.now += publishedBefore;
    let { refresh_token: token } = soon.json;
    for (const port of server.ports) {
      const after = await refresh(server, token, { port });
      expect(decodeProtectedHeader(after.json.id_token).kid).toBe(kid);
      ({ refresh_token: token } = after.json);
    }
    const keys = createLocalJWKSet(await published());
    await jwtVerify(before.json.id_token, keys, { issuer: server.issuer, audience: 'app' });
    expect(server.faults).toEqual([]);
  });
});
