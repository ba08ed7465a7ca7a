import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from '../cli/one-process.ts';
import { backendToken, launchApp, read, refresh } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

const run = inOneProcess();
let server: Authorizing;
let store: string;
beforeAll(async () => {
  server = await authorizing();
  store = server.storeUrl;
});
afterAll(() => server.close());

const cli = async (...args: string[]): Promise<void> => {
  const { code, stderr } = await run(args, { env: { CRS_STORE: store } });
  expect([code, stderr]).toEqual([0, '']);
};

describe('a partition that is removed and added again', () => {
  it('knows none of the tokens that were for the former one', async () => {
    const [app, backend] = [(await launchApp(server)).json, (await backendToken(server)).json];
    await cli('partition', 'remove', 'demo', '--yes');
    await cli('partition', 'add', 'demo', '--zone', 'America/Toronto');
    server.clock.now = Date.now() + 10_000;
    for (const { access_token: token } of [app, backend])
      expect((await read(server, token, '/Patient')).status).toBe(401);
    expect((await refresh(server, app.refresh_token)).json.error).toBe('invalid_grant');
    expect((await backendToken(server)).status).toBe(200);
  });
});
