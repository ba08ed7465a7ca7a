import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Place } from '../support/store-place.ts';
import { authorize, backendToken, credentials, exchange, launchApp, read, refresh } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

/** What must hold of tokens where two processes serve one store, whatever the store. */
export function contractOfProcesses(place: () => Promise<Place>): void {
  let server: Authorizing;
  beforeAll(async () => {
    server = await authorizing({ second: true, place });
  });
  afterAll(() => server.close());

  const other = (): number => server.ports[1];
  const refused = { status: 400, json: { error: 'invalid_grant' } };
  const both = async <T>(work: (port: number) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(server.ports.map(work));

  describe('of two processes', () => {
    it('each takes what the other one gave', async () => {
      const authorized = await authorize(server, { port: other() });
      const first = await exchange(server, authorized);
      const second = await refresh(server, first.json.refresh_token, { port: other() });
      for (const port of server.ports)
        expect((await read(server, second.json.access_token, '/Patient/ann', port)).status).toBe(200);
    });

    it('one alone takes a code, and then all that it gave has ended', async () => {
      const authorized = await authorize(server);
      const answers = await both(port => exchange(server, authorized, 'app', {}, port));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThan(2);
      server.clock.now += 10_000;
      for (const { json } of given) {
        expect(await refresh(server, json.refresh_token)).toMatchObject(refused);
        for (const port of server.ports)
          expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(401);
      }
    });

    it('both give one successor of a refresh token that both get at a time, and end it at a later use', async () => {
      const { json } = await launchApp(server);
      const answers = await both(port => refresh(server, json.refresh_token, { port }));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(new Set(answers.map(answer => answer.json.refresh_token)).size).toBe(1);
      server.clock.now += 10_000;
      expect(await refresh(server, json.refresh_token, { port: other() })).toMatchObject(refused);
      expect(await refresh(server, answers[0]?.json.refresh_token)).toMatchObject(refused);
      server.clock.now += 10_000;
      for (const answer of [...answers, { json }])
        for (const port of server.ports)
          expect((await read(server, answer.json.access_token, '/Patient/ann', port)).status).toBe(401);
    });

    it('one alone takes a client assertion', async () => {
      const [{ form }, scope] = [await credentials(server, 'backend'), 'system/Patient.rs'];
      const answers = await both(port => backendToken(server, { ...form, scope }, port));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
      for (const port of server.ports) expect((await backendToken(server, { ...form, scope }, port)).status).toBe(401);
    });

    it('each knows within ten seconds what the other one ended', async () => {
      const { json } = await launchApp(server);
      await both(port => read(server, json.access_token, '/Patient/ann', port));
      await refresh(server, json.refresh_token);
      server.clock.now += 10_000;
      expect(await refresh(server, json.refresh_token, { port: other() })).toMatchObject(refused);
      server.clock.now += 10_000;
      for (const port of server.ports)
        expect((await read(server, json.access_token, '/Patient/ann', port)).status).toBe(401);
    });
  });
}
