import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../cli/process.ts';
import { newMongoPlace } from '../support/mongodb/place.ts';
import { create, startLoad } from './support/load.ts';
import { fill, startServer } from './support/server.ts';
import type { Server } from './support/server.ts';
import { noneLostOrDoubled } from './support/sound.ts';

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

const isLong = process.env['CRS_TEST_FAULTS'] === 'all';
let store: string;
let one: Server;
let other: Server;
beforeAll(async () => {
  const place = await newMongoPlace();
  store = place.url;
  await fill(store, 5);
  [one, other] = await Promise.all([startServer(store), startServer(store)]);
  return async () => {
    await Promise.all([one.end(), other.end()]);
    await place.remove();
  };
});

/** A link as it was given, at the other process. */
const at = (server: Server, url: string): string => url.replace('http://records.example', server.url);

describe('two processes on one database', () => {
  it('make one record of a create that comes to both at once, under one key', async () => {
    for (let number = 10_000; number < 10_020; number++) {
      const answers = await Promise.all([one, other, one, other].map(({ base }) => create(base, number)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
  });

  it('continue with pages that the other began', async () => {
    const seen: string[] = [];
    let next: string | undefined = `${one.base}/Patient?_count=1`;
    const servers = [other, one];
    for (let page = 0; next !== undefined && page < 9; page++) {
      const bundle = (await (await fetch(next)).json()) as Bundle;
      seen.push(...(bundle.entry ?? []).map(({ resource }) => resource.id));
      const link = bundle.link.find(({ relation }) => relation === 'next')?.url;
      next = link === undefined ? undefined : at(servers[page % 2] ?? one, link);
    }
    expect(seen.toSorted()).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
  });

  it('serve a partition that another process added at once, and a removed one for at most two seconds', async () => {
    const env = { CRS_STORE: store };
    expect((await run(['partition', 'add', 'later'], { env })).code).toBe(0);
    for (const { url } of [one, other]) expect((await fetch(`${url}/r4/later/Patient/x`)).status).toBe(404);
    const body = await (await fetch(`${one.url}/r4/later/Patient/x`)).text();
    expect(body).toContain('No Patient has the id');
    expect((await run(['partition', 'remove', 'later', '--yes'], { env })).code).toBe(0);
    for (const { url } of [one, other])
      await expect
        .poll(async () => (await fetch(`${url}/r4/later/Patient/x`)).text())
        .toContain('There is no partition');
  });

  // The short form is that of `several.test.ts`.
  it.skipIf(!isLong)('lose and double no creates where one is killed under load (CRS_TEST_FAULTS)', async () => {
    const third = await startServer(store);
    onTestFinished(() => void third.process.kill('SIGKILL'));
    const load = startLoad([one.base, third.base]);
    await load.created(30);
    third.process.kill('SIGKILL');
    await third.ended;
    await load.created(30);
    await load.stop();
    expect(load.exchanges.filter(({ status }) => ![0, 200, 201].includes(status))).toEqual([]);
    await noneLostOrDoubled(load.exchanges.slice(0, 400), other.base);
  });
});
