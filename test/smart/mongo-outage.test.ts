import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startMongo } from '../support/mongodb/engine.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { authorize, authorizeUrl, backendToken, exchange, launchApp, pkce, refresh } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
let engine: Awaited<ReturnType<typeof startMongo>>;
let proxy: TcpProxy;
beforeAll(async () => {
  engine = await startMongo();
  proxy = await startProxy(engine.port);
  const through = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
  const flags = ['--search-deadline', '1', '--store-timeout', '2'];
  server = await authorizing({ flags, place: () => newMongoPlace(through) });
});
afterAll(async () => {
  proxy.heal();
  server.faults.length = 0; // of the store, as the operator is to know
  await server.close();
  await proxy.close();
  await engine.remove();
});

describe('while the store cannot be reached', () => {
  it('every request is answered with an advice to retry, and what was begun continues later', async () => {
    const begun = await authorize(server);
    const answer = await launchApp(server);
    expect(answer.status).toBe(200);

    proxy.cut();
    const page = await fetch(authorizeUrl(server, pkce().challenge), { redirect: 'manual' });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await page.text()).toContain('Wait a moment, then try again.');
    const headers = { Accept: 'text/html', Cookie: `crs_explorer=${'a'.repeat(43)}` };
    const explorer = await fetch(new URL(`/explorer/demo/sign-in`, server.base), { headers });
    expect([explorer.status, explorer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await explorer.text()).toContain('<h1>The request failed</h1>');
    const refused = [
      await exchange(server, begun),
      await refresh(server, answer.json.refresh_token),
      await backendToken(server),
    ];
    expect(refused.map(({ status, json }) => [status, json.error])).toEqual(
      refused.map(() => [503, 'temporarily_unavailable']),
    );

    proxy.heal();
    await expect.poll(async () => (await backendToken(server)).status, { timeout: 10_000 }).toBe(200);
    expect((await exchange(server, begun)).status).toBe(200);
    expect((await refresh(server, answer.json.refresh_token)).status).toBe(200);
  });
});
