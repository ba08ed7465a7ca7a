// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { launch } from '../cli/process.ts';
import { requireModel } from '../support/loaded-once.ts';
import { inXml } from '../support/in-xml.ts';
import { issuesOf, keptBytes, media, png, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { put, serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';
import { newStorePlace } from '../support/store-place.ts';
import { attachmentSteps } from '../store/support/verified.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')]);
  await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
});
afterAll(() => server.close());

const keyed = (key: string) => ({ 'Idempotency-Key': key });
const records = (): Promise<number> => server.partition.count('Media');

describe('a create with an Idempotency-Key', () => {
  it('that comes again gets the first answer again', async () => {
    const first = await post(server, 'Media', media(), keyed('again'));
    const before = await records();
    const second = await post(server, 'Media', media(), keyed('again'));
    expect([second.status, second.text]).toEqual([201, first.text]);
    for (const name of ['location', 'etag', 'last-modified']) expect(second.headers[name]).toBe(first.headers[name]);
    expect(await records()).toBe(before);
    const minimal = await post(server, 'Media', media(), { ...keyed('again'), Prefer: 'return=minimal' });
    expect([minimal.status, minimal.text, minimal.headers.location]).toEqual([201, '', first.headers.location]);
  });

  it('that comes with another body is 422, also where that body is wrong', async () => {
    await post(server, 'Media', media(), keyed('other'));
    for (const body of [
      media({ status: 'unknown' }),
      media({ staus: 'x' }),
      ...(inXml ? [] : [`${JSON.stringify(media())} `]),
    ]) {
      const answer = await post(server, 'Media', body, keyed('other'));
      expect([answer.status, issuesOf(answer)]).toEqual([422, ['conflict http."Idempotency-Key"']]);
    }
  });

  it('that was refused may come again, mended', async () => {
    expect((await post(server, 'Media', media({ staus: 'x' }), keyed('mended'))).status).toBe(400);
    expect((await post(server, 'Media', media(), keyed('mended'))).status).toBe(201);
  });

  it('that comes thirty times at once makes one record, and every answer is the same', async () => {
    const before = await records();
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post(server, 'Media', media(), keyed('thirty'))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await records()).toBe(before + 1);
  });

  it('belongs to its partition', async () => {
    const other = await server.running.engine.store.partition('other');
    await put(other!, [patient('p1')]); // added above
    const first = await post(server, 'Media', media(), keyed('partition'));
    const headers = { 'Content-Type': 'application/fhir+json', ...keyed('partition') };
    const second = await server.ask('POST', '//r4/other/Media', { headers, body: JSON.stringify(media()) });
    expect(second.status).toBe(201);
    expect(second.json.id).not.toBe(first.json.id);
  });

  it.each(['x', '!~"\\', 'k'.repeat(128)])('may be `%s`', async key => {
    expect((await post(server, 'Media', media(), keyed(key))).status).toBe(201);
  });

  it('is not held against the one of another', async () => {
    const one = await post(server, 'Media', media(), keyed('one'));
    const two = await post(server, 'Media', media(), keyed('two'));
    expect(one.json.id).not.toBe(two.json.id);
  });
});

describe('kill -9', () => {
  it('loses nothing that was answered and doubles nothing: the same keys get the same answers after it', async () => {
    const place = await newStorePlace();
    onTestFinished(() => place.remove());
    const store = place.url;
    const flags = [
      '--port',
      '0',
      '--store',
      store,
      '--log',
      'off',
      '--access',
      'open',
      '--public-url',
      'http://records.example',
    ];
    const setUp = await startEngine(readConfig(flags), undefined, { load: requireModel });
    await setUp.engine.store.partitions.add('demo', { zone: 'UTC' });
    await put((await setUp.engine.store.partition('demo'))!, [patient('p1')]); // added above
    await setUp.close();

    // Each picture is another, so that bytes without a record would show.
    const bodyOf = (at: number): string => JSON.stringify(media({}, { data: png(10_000 + at).toString('base64') }));
    const send = async (port: number, at: number): Promise<{ status: number; text: string }> => {
      const headers = { 'Content-Type': 'application/fhir+json', ...keyed(`kill-${at}`) };
      const url = `http://127.0.0.1:${port}/r4/demo/Media`;
      const response = await fetch(url, { method: 'POST', headers, body: bodyOf(at) });
      return { status: response.status, text: await response.text() };
    };
    const answered = new Map<number, string>();
    let next = 0;
    for (let round = 0; round < 3; round++) {
      const child = launch(['serve', '--port', '0', '--store', store, '--log', 'off', '--access', 'open']);
      const [, port = ''] = await child.until(/http:\/\/127\.0\.0\.1:(\d+)/);
      const enough = Promise.withResolvers<void>();
      const last = next + 40;
      const clients = Array.from({ length: 8 }, async () => {
        try {
          for (;;) {
            const at = next++;
            if (at === last) enough.resolve();
            const { status, text } = await send(Number(port), at);
            if (status === 201) answered.set(at, text);
          }
        } catch {} // the server is gone
      });
      await enough.promise;
      child.process.kill('SIGKILL');
      await Promise.all([...clients, child.ended]);
    }
    expect(answered.size).toBeGreaterThan(60);

    const running = await startEngine(readConfig(flags), undefined, { load: requireModel });
    onTestFinished(() => running.close());
    const all = new Map<string, number>();
    for (let at = 0; at < next; at++) {
      const { status, text } = await send(running.port, at);
      expect(status).toBe(201);
      all.set((JSON.parse(text) as { id: string }).id, at);
      expect(answered.get(at) ?? text).toBe(text);
    }
    expect(all.size).toBe(next);
    const partition = (await running.engine.store.partition('demo'))!; // added above
    expect(await partition.count('Media')).toBe(next);
    const kept = await keptBytes({ partition } as Served, 'Media');
    expect(kept.size).toBe(next);
    for (const [id, at] of all) expect(kept.get(id)).toEqual([png(10_000 + at)]);
    for (const { findings } of await attachmentSteps(running.engine.store, partition.id)) expect(findings).toEqual([]);
  }, 120_000);
});
