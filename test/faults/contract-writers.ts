import { expect, it } from 'vitest';
import { open } from '../support/filled-store.ts';
import type { Place } from '../support/store-place.ts';
import { putEntry } from '../support/transaction.ts';
import { communication, noted } from '../support/versioned.ts';
import { type Running, start } from './versioned-server.ts';

const ids = ['w1', 'w2', 'w3'];

/** An answer to a write, and what was sent. Each note is sent once. */
interface Answered {
  readonly id: string;
  readonly method: 'PUT' | 'PATCH' | 'DELETE';
  readonly note: string;
  /** The version of If-Match. */
  readonly match: number | undefined;
  readonly version: number;
}

/** The answers of all servers. */
export interface Answers {
  readonly writes: Answered[];
  /** The ids of conditional creates, by their criterion. */
  readonly created: Map<string, Set<string>>;
  /** The notes of transactions that were acknowledged. */
  readonly together: string[];
}

/** The records that one transaction writes: they have the same notes. */
const pair = ['t1', 't2'];

/** Random writers of a few records, whose server is killed: the versions of each record are those of the answers. */
export function writersContract(newPlace: () => Promise<Place>, rounds: number): void {
  const timeout = 60_000 + rounds * 60_000;
  it(
    `records whose server is killed ${rounds} times have the versions that were acknowledged`,
    { timeout },
    async () => {
      const place = await newPlace();
      const store = await open(place.url, 'serve');
      await store.partitions.add('demo', { zone: 'UTC' });
      await store.close();
      const answers = noAnswers();
      for (let round = 0; round < rounds; round += 1) {
        const server = await start(place.url);
        await writeDuring([server], round, answers, async () => {
          await new Promise(done => setTimeout(done, 100 + ((round * 137) % 900)));
          server.process.kill('SIGKILL');
          await server.ended;
        });
      }
      const server = await start(place.url);
      await checkAnswers(server, answers);
      expect(answers.writes.length).toBeGreaterThanOrEqual(rounds);
      server.process.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      await place.remove();
    },
  );
}

export const noAnswers = (): Answers => ({ writes: [], created: new Map(), together: [] });

/** Checks that what was acknowledged is there once: no half transaction, versions without gaps. */
export async function checkAnswers(server: Running, { writes, created, together }: Answers): Promise<void> {
  for (const id of ids) {
    const done = writes.filter(one => one.id === id);
    expect(faultsOf(done, await versionsOf(server, id))).toEqual([]);
  }
  for (const [key, made] of created) {
    const { entry = [] } = await get(`${server.base}/Communication?identifier=${key}`);
    expect(entry.map(({ resource }) => resource?.id)).toEqual([...made]);
  }
  const [one = [], other = []] = await Promise.all(pair.map(id => versionsOf(server, id)));
  expect(one).toEqual(other);
  const notes = one.map(({ note }) => note);
  expect([new Set(notes).size, together.filter(note => !notes.includes(note))]).toEqual([notes.length, []]);
}

/** Random writers at all of some servers, from before a work until it has ended. */
export async function writeDuring(
  servers: readonly Running[],
  round: number,
  { writes, created, together }: Answers,
  during: () => Promise<void>,
): Promise<void> {
  const first = Promise.withResolvers<void>();
  const alive = new AbortController();
  const send = (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const type = Array.isArray(body) ? 'application/json-patch+json' : 'application/fhir+json';
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(oneOf(servers).base + path, { method, headers: { 'Content-Type': type, ...headers }, ...sent }).catch(
      () => undefined,
    );
  };
  const work = async (worker: number): Promise<void> => {
    const known = new Map<string, number>();
    for (let number = 0; !alive.signal.aborted; number += 1) {
      const note = `${round}.${worker}.${number}`;
      const id = oneOf(ids);
      const match = Math.random() < 0.5 ? known.get(id) : undefined;
      const method = oneOf(['PUT', 'PUT', 'PATCH', 'PATCH', 'DELETE', 'POST', 'Bundle'] as const);
      if (method === 'Bundle') {
        const entry = pair.map(one => putEntry(communication(one, noted(note))));
        const answer = await send('POST', '', { resourceType: 'Bundle', type: 'transaction', entry });
        if (answer?.ok === true) together.push(note);
        continue;
      }
      if (method === 'POST') {
        const key = `${round}-${oneOf([1, 2, 3, 4])}`;
        const fields = { identifier: [{ value: key }] };
        const answer = await send('POST', '/Communication', communication(undefined, fields), {
          'If-None-Exist': `identifier=${key}`,
        });
        const body = await answer?.json().catch(() => undefined);
        if (answer?.ok === true && isMade(body)) created.set(key, (created.get(key) ?? new Set()).add(body.id));
        continue;
      }
      const patch = [{ op: 'replace', path: '/note/0/text', value: note }];
      const body = method === 'PUT' ? communication(id, noted(note)) : method === 'PATCH' ? patch : undefined;
      const condition = match === undefined ? {} : { 'If-Match': `W/"${match}"` };
      const answer = await send(method, `/Communication/${id}`, body, condition);
      const version = Number(/\d+/.exec(answer?.headers.get('etag') ?? '')?.[0] ?? 0);
      if (answer?.ok !== true || version === 0) continue;
      known.set(id, version);
      writes.push({ id, method, note, match, version });
      first.resolve();
    }
  };
  const working = Promise.all([0, 1, 2, 3, 4, 5].map(work));
  await first.promise;
  await during();
  alive.abort();
  await working;
}

// The lists are not empty.
const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

const isMade = (body: unknown): body is { readonly id: string } =>
  typeof body === 'object' && body !== null && 'id' in body;

interface Version {
  readonly version: number;
  /** Undefined for a deletion. */
  readonly note: string | undefined;
}

/** What is wrong about the versions of a record. */
function faultsOf(done: readonly Answered[], versions: readonly Version[]): readonly string[] {
  const faults: string[] = [];
  const require = (isRight: boolean, what: string): void => void (isRight || faults.push(what));
  for (const [at, { version }] of versions.entries()) require(version === at + 1, `version ${at + 1} is ${version}`);
  for (const { method, note, match, version } of done) {
    const found = versions[version - 1];
    const expected = method === 'DELETE' ? undefined : note;
    require(found !== undefined && found.note === expected, `version ${version} is not that of ${method} ${note}`);
    require(match === undefined || version === match + 1, `version ${version} is written with If-Match ${match}`);
  }
  const notes = versions.map(({ note }) => note).filter(note => note !== undefined);
  require(new Set(notes).size === notes.length, 'a write made two versions');
  return faults;
}

interface Bundle {
  readonly entry?: readonly {
    readonly resource?: { readonly id: string; readonly note?: readonly { readonly text: string }[] };
    readonly response?: { readonly etag: string };
  }[];
  readonly link?: readonly { readonly relation: string; readonly url: string }[];
}

const get = async (url: string): Promise<Bundle> => (await (await fetch(url)).json()) as Bundle;

async function versionsOf({ base }: Running, id: string): Promise<readonly Version[]> {
  const versions: Version[] = [];
  let url: string | undefined = `${base}/Communication/${id}/_history?_sort=_lastUpdated&_count=500`;
  while (url !== undefined) {
    const { entry = [], link = [] }: Bundle = await get(url);
    for (const { resource, response } of entry)
      versions.push({ version: Number(/\d+/.exec(response?.etag ?? '')?.[0]), note: resource?.note?.[0]?.text });
    url = link.find(({ relation }) => relation === 'next')?.url;
  }
  return versions;
}
