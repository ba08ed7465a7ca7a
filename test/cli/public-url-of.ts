import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { requireModel } from '../support/loaded-once.ts';
import { testTokens } from '../support/tokens.ts';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';

interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

interface Serving {
  /**
   * Ids of the encounters that a search finds, from all its pages of two, in order. Throws Error unless all are 200.
   */
  readonly find: (query: string, token: Token) => Promise<readonly string[]>;
  readonly status: (path: string, token: Token) => Promise<number>;
}

/** The patient in context of a token, or an app of the whole partition. */
type Token = { readonly patient: string } | 'system';

/** A store whose server gets other public URLs. Each example continues from the one before. */
export function publicUrlOf(newPlace: () => Promise<Place>): void {
  const run = inOneProcess();
  let folder: string;
  let place: Place;
  let store: string[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'public-url-'));
    place = await newPlace();
    store = ['--store', place.url];
  });
  afterAll(async () => {
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const [first, second] = ['http://first.example', 'https://second.example/fhir'];
  const patientAt = (publicUrl: string): string => `${publicUrl}/r4/clinic/Patient/p`;

  async function serving<T>(publicUrl: string | undefined, work: (serving: Serving) => Promise<T>): Promise<T> {
    const named = publicUrl === undefined ? [] : ['--public-url', publicUrl];
    const flags = ['--port', '0', '--log', 'off', '--access', 'token', '--authorization-server', 'off', ...named];
    const tokens = testTokens();
    const parts = { load: requireModel, verify: tokens.verify };
    const running = await startEngine(readConfig([...flags, ...store]), undefined, parts);
    const ask = (path: string, token: Token): Promise<Response> => {
      const claims = token === 'system' ? { scope: 'system/*.rs' } : { ...token, scope: 'patient/*.rs' };
      const headers = tokens.bearer({ partition: 'clinic', ...claims });
      return fetch(`http://127.0.0.1:${running.port}/r4/clinic/${path}`, { headers });
    };
    try {
      return await work({
        async find(query, token) {
          const ids: string[] = [];
          for (let path: string | undefined = `Encounter?${query}&_count=2`; path !== undefined;) {
            const answer = await ask(path, token);
            const bundle = (await answer.json()) as {
              entry?: { resource: { id: string } }[];
              link?: { relation: string; url: string }[];
            };
            if (answer.status !== 200) throw new Error(JSON.stringify(bundle));
            ids.push(...(bundle.entry ?? []).map(({ resource }) => resource.id));
            path = bundle.link?.find(({ relation }) => relation === 'next')?.url.split('/r4/clinic/')[1];
          }
          return ids;
        },
        status: async (path, token) => (await ask(path, token)).status,
      });
    } finally {
      await running.close();
    }
  }

  function load(id: string, reference: string, day: number, ...flags: string[]): Promise<Ended> {
    const period = { start: `2025-01-0${day}` };
    const subject = { reference };
    const encounter = { resourceType: 'Encounter', id, status: 'finished', class: { code: 'AMB' }, subject, period };
    return run(['load', '-', '--rejects', join(folder, 'rejects'), ...flags, ...store], {
      input: JSON.stringify(encounter),
    });
  }

  const everyId = [
    'relative',
    'at-first',
    'at-second',
    'elsewhere',
    'other',
    'relative-2',
    'at-first-2',
    'at-second-2',
  ];

  /** That searches, their pages and reads agree on whose these encounters are; nothing waits for an index. */
  async function expectOwned(serving: Serving, ids: readonly string[]): Promise<void> {
    const { find, status } = serving;
    expect(await find('patient=p', 'system')).toEqual(ids);
    expect(await find('patient=Patient/p', { patient: 'p' })).toEqual(ids);
    expect(await find('status=finished', { patient: 'p' })).toEqual(ids);
    expect(await find('status=finished', { patient: 'q' })).toEqual(['other']);
    for (const id of everyId)
      expect([id, await status(`Encounter/${id}`, { patient: 'p' })]).toEqual([id, ids.includes(id) ? 200 : 404]);
  }

  describe('records that a command has loaded before the first start', () => {
    it('are found at once, on whichever port that is', async () => {
      expect((await run(['partition', 'add', 'clinic', ...store])).code).toBe(0);
      expect((await load('relative', 'Patient/p', 9)).code).toBe(0);
      await serving(undefined, async ({ find }) => expect(await find('patient=p', 'system')).toEqual(['relative']));
      await serving(undefined, async ({ find }) => expect(await find('patient=p', 'system')).toEqual(['relative']));
    });
  });

  describe('the public URL of the server', () => {
    it('is that of the commands too, once it has served', async () => {
      await serving(first, async () => {});
      expect((await run(['partition', 'list', ...store])).stdout).toContain(`\t${first}/r4/clinic\t`);
      const references: readonly (readonly [id: string, reference: string])[] = [
        ['at-first', patientAt(first)],
        ['at-second', patientAt(second)],
        ['elsewhere', 'https://elsewhere.example/Patient/p'],
        ['other', 'Patient/q'],
        ['relative-2', 'Patient/p'],
        ['at-first-2', patientAt(first)],
        ['at-second-2', patientAt(second)],
      ];
      for (const [at, [id, reference]] of references.entries())
        expect((await load(id, reference, 8 - at)).code).toBe(0);
    });

    const ofFirst = ['relative', 'at-first', 'relative-2', 'at-first-2'];
    const ofSecond = ['relative', 'at-second', 'relative-2', 'at-second-2'];
    it.each([
      ['which some absolute references begin with', first, ofFirst],
      ['another, which others begin with', second, ofSecond],
      ['a third, which none begins with', 'https://third.example', ['relative', 'relative-2']],
      ['the first again', first, ofFirst],
    ] as const)('decides whose records are, and nothing waits: %s', async (_which, publicUrl, ids) => {
      await serving(publicUrl, async server => {
        await expectOwned(server, ids);
        const others = [first, second].filter(one => one !== publicUrl);
        const found = others.map(other => server.find(`patient=${patientAt(other)}`, 'system'));
        const named = others.map(other => (other === first ? ofFirst : ofSecond).filter(id => id.startsWith('at-')));
        expect(await Promise.all(found)).toEqual(named);
      });
      expect((await run(['index', 'status', ...store])).code).toBe(0);
      const verified = await run(['index', 'verify', ...store]);
      expect([verified.code, verified.stdout]).toEqual([0, '8 records checked, 0 differences.\n']);
    });

    it('may be another one for a command beside a server', async () => {
      await serving(first, async ({ find }) => {
        expect((await load('beside', patientAt(first), 1, '--public-url', second)).code).toBe(0);
        expect(await find('patient=p', { patient: 'p' })).toEqual([...ofFirst, 'beside']);
      });
    });
  });
}
