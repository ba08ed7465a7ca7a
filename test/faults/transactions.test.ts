// A server that is killed while it carries out transactions: each is stored whole or not at all, and none is lost that
// was answered.
import { expect, it } from 'vitest';
import { open } from '../support/filled-store.ts';
import { newStorePlace } from '../support/store-place.ts';
import { postEntry, putEntry, transaction } from '../support/transaction.ts';
import { communication, noted } from '../support/versioned.ts';
import { type Running, start } from './versioned-server.ts';

const rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 3);
const workers = [0, 1, 2, 3, 4, 5];

it(
  `transactions of a server that is killed ${rounds} times are whole or not there`,
  { timeout: 60_000 + rounds * 60_000 },
  async () => {
    const place = await newStorePlace();
    const store = await open(place.url, 'serve');
    await store.partitions.add('demo', { zone: 'UTC' });
    await store.close();
    const acknowledged = workers.map((): string[] => []);
    for (let round = 0; round < rounds; round += 1) {
      const server = await start(place.url);
      await writeUntilKilled(server, round, acknowledged, 20 + ((round * 53) % 300));
    }
    const server = await start(place.url);
    for (const worker of workers) {
      const [first, second] = [await notesOf(server, worker, 'a'), await notesOf(server, worker, 'b')];
      expect(second).toEqual(first);
      expect(await madeBy(server, worker)).toEqual(first.toSorted());
      expect((acknowledged[worker] ?? []).filter(note => !first.includes(note))).toEqual([]);
    }
    expect(acknowledged.flat().length).toBeGreaterThanOrEqual(rounds);
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    await place.remove();
  },
);

/** Each worker changes two records of its own and creates one, again and again; the notes name the transaction. */
async function writeUntilKilled(
  { process, ended, base }: Running,
  round: number,
  acknowledged: readonly string[][],
  after: number,
): Promise<void> {
  const first = Promise.withResolvers<void>();
  const alive = new AbortController();
  const work = async (worker: number): Promise<void> => {
    for (let number = 0; !alive.signal.aborted; number += 1) {
      const note = `${round}.${number}`;
      const of = (id: string | undefined, more: object = {}) => communication(id, { ...noted(note), ...more });
      const body = transaction(
        putEntry(of(`w${worker}-a`), {}, 'urn:uuid:a'),
        putEntry(of(`w${worker}-b`, { partOf: [{ reference: 'urn:uuid:a' }] })),
        postEntry(of(undefined, { identifier: [{ value: `made-${worker}` }] })),
      );
      const answer = await fetch(base, {
        method: 'POST',
        headers: { 'Content-Type': 'application/fhir+json' },
        body: JSON.stringify(body),
      }).catch(() => undefined);
      if (answer?.status !== 200) continue;
      acknowledged[worker]?.push(note);
      first.resolve();
    }
  };
  const working = Promise.all(workers.map(work));
  await first.promise;
  await new Promise(done => setTimeout(done, after));
  process.kill('SIGKILL');
  await ended;
  alive.abort();
  await working;
}

interface Bundle {
  readonly entry?: readonly { readonly resource: { readonly note: readonly { readonly text: string }[] } }[];
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
}

const notesOf = ({ base }: Running, worker: number, name: string): Promise<readonly string[]> =>
  allNotes(`${base}/Communication/w${worker}-${name}/_history?_sort=_lastUpdated&_count=500`);

const madeBy = async ({ base }: Running, worker: number): Promise<readonly string[]> =>
  (await allNotes(`${base}/Communication?identifier=made-${worker}&_count=500`)).toSorted();

/** The notes of the records on all pages. */
async function allNotes(url: string | undefined): Promise<readonly string[]> {
  if (url === undefined) return [];
  const { entry = [], link = [] } = (await (await fetch(url)).json()) as Bundle;
  const next = link.find(({ relation }) => relation === 'next')?.url;
  return [...entry.flatMap(({ resource }) => resource.note[0]?.text ?? []), ...(await allNotes(next))];
}
