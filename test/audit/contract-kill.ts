import { request } from 'node:http';
import { expect, it } from 'vitest';
import { readEvents } from '../../src/audit/read-events.ts';
import { launch } from '../cli/process.ts';
import { moreDefinitions, open, publicUrl } from '../support/filled-store.ts';
import { freePort } from '../support/free-port.ts';
import { put } from '../support/serve.ts';
import { list } from '../store/support/list.ts';
import { current } from '../store/support/current.ts';
import { auditOf } from '../support/audit-of.ts';

interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** A server that is killed while it writes: each stored record and each answer has its event. */
export function auditKillContract(newPlace: () => Promise<Place>, rounds: number): void {
  it(
    `a server that is killed ${rounds} times writes nothing without its event`,
    { timeout: 60_000 + rounds * 60_000 },
    async () => {
      const place = await newPlace();
      const store = await open(place.url, 'serve');
      await store.partitions.add('demo', { zone: 'UTC' });
      const first = await store.partition('demo');
      if (first !== undefined) await put(first, [{ resourceType: 'Patient', id: 'p1' }]);
      await store.close();
      const answered = new Set<string>();
      for (let round = 0; round < rounds; round += 1) {
        for (const id of await createAndKill(place.url, 20 + ((round * 53) % 200))) answered.add(id);
      }
      const reading = await open(place.url);
      const begun = new Set<string>();
      for (const { text } of await list(readEvents(auditOf(reading)))) {
        const [, id] = /"reference":"Media\/([^"]+)"\},"role":\{[^}]*"code":"4"\}/.exec(text) ?? [];
        if (id !== undefined) begun.add(id);
      }
      const demo = await reading.partition('demo');
      const written = demo === undefined ? [] : (await list(current(demo, 'Media'))).map(({ id }) => id);
      expect(written.filter(id => !begun.has(id))).toEqual([]);
      expect([...answered].filter(id => !written.includes(id))).toEqual([]);
      expect(answered.size).toBeGreaterThanOrEqual(rounds);
      const damage = await list(auditOf(reading).verify());
      expect(damage.filter(({ is }) => is !== 'torn')).toEqual([]);
      await reading.close();
      await place.remove();
    },
  );
}

/**
 * Creates records as fast as a server takes them, until it is killed so many milliseconds after the first; gives the
 * ids of those that were acknowledged.
 */
async function createAndKill(store: string, after: number): Promise<readonly string[]> {
  const port = await freePort();
  const flags = ['--access', 'open', '--log', 'off', '--public-url', publicUrl];
  const server = launch(['serve', '--port', String(port), ...flags, '--definitions', moreDefinitions], {
    env: { CRS_STORE: store },
  });
  await server.until(/Serves /);
  const url = `http://127.0.0.1:${port}`;
  const acknowledged: string[] = [];
  const first = Promise.withResolvers<void>();
  const alive = new AbortController();
  const work = async (): Promise<void> => {
    while (!alive.signal.aborted) {
      const id = await create(`${url}/r4/demo/Media`).catch(() => undefined);
      if (id === undefined) continue;
      acknowledged.push(id);
      first.resolve();
    }
  };
  const workers = Array.from({ length: 8 }, work);
  await first.promise;
  await new Promise(done => setTimeout(done, after));
  server.process.kill('SIGKILL');
  await server.ended;
  alive.abort();
  await Promise.all(workers);
  return acknowledged;
}

function create(url: string): Promise<string | undefined> {
  const body =
    '{"resourceType":"Media","status":"completed","subject":{"reference":"Patient/p1"},' +
    '"content":{"contentType":"image/gif","data":"R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}}';
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers: { 'Content-Type': 'application/fhir+json' } }, answer => {
      answer.resume().on('error', reject);
      const { location = '' } = answer.headers;
      resolve(answer.statusCode === 201 ? /Media\/([^/]+)/.exec(location)?.[1] : undefined);
    });
    asked.on('error', reject).end(body);
  });
}
