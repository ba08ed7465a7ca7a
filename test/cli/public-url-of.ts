import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { publicUrlOf as usualUrlOf, readConfig } from '../../src/config.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { requireModel } from '../support/loaded-once.ts';
import { inOneProcess } from './one-process.ts';
import type { Ended } from './process.ts';

interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

/** That entries follow the public URL of the server, in a store at a place of its own. Each example goes on from the one before. */
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

  interface Serving {
    /** Ids of encounters by `patient`, asked again while the index is made anew, and how often that was. */
    readonly find: (subject: string) => Promise<{ readonly ids: readonly string[]; readonly waits: number }>;
  }

  async function serving<T>(publicUrl: string | undefined, work: (serving: Serving) => Promise<T>): Promise<T> {
    const named = publicUrl === undefined ? [] : ['--public-url', publicUrl];
    const flags = ['--port', '0', '--log', 'off', '--access', 'open', ...named];
    const running = await startEngine(readConfig([...flags, ...store]), undefined, { load: requireModel });
    try {
      return await work({
        async find(subject) {
          const url = `http://127.0.0.1:${running.port}/r4/clinic/Encounter?patient=${encodeURIComponent(subject)}`;
          for (let waits = 0; ; waits++) {
            const answer = await fetch(url);
            if (answer.status === 503 && waits < 200) {
              await setTimeout(50);
              continue;
            }
            const { entry = [] } = (await answer.json()) as { entry?: { resource: { id: string } }[] };
            return { ids: entry.map(({ resource }) => resource.id).toSorted(), waits };
          }
        },
      });
    } finally {
      await running.close();
    }
  }

  function load(id: string, reference: string, ...flags: string[]): Promise<Ended> {
    const subject = { reference };
    const encounter = { resourceType: 'Encounter', id, status: 'finished', class: { code: 'AMB' }, subject };
    return run(['load', '-', '--rejects', join(folder, 'rejects'), ...flags, ...store], {
      input: JSON.stringify(encounter),
    });
  }

  describe('records that a command has loaded before the first start, which is on another port', () => {
    let before: string[];
    beforeAll(async () => {
      before = store;
    });
    afterAll(() => {
      store = before;
    });

    async function newStore(): Promise<void> {
      const other = await newPlace();
      onTestFinished(() => other.remove());
      store = ['--store', other.url];
      await run(['partition', 'add', 'clinic', ...store]);
    }

    it('are found by relative references at once', async () => {
      await newStore();
      expect((await load('relative', 'Patient/p')).code).toBe(0);
      const found = await serving(undefined, ({ find }) => find('Patient/p'));
      expect(found).toEqual({ ids: ['relative'], waits: 0 });
      expect((await run(['index', 'status', ...store])).code).toBe(0);
    });

    it('are found by an absolute reference to the URL of the commands as such, once they are indexed anew', async () => {
      await newStore();
      const usual = usualUrlOf(readConfig(store));
      expect((await load('relative', 'Patient/p')).code).toBe(0);
      expect((await load('absolute', patientAt(usual))).code).toBe(0);
      await serving(undefined, async ({ find }) => {
        expect((await find('Patient/p')).ids).toEqual(['relative']);
        expect((await find(patientAt(usual))).ids).toEqual(['absolute']);
      });
      const verified = await run(['index', 'verify', ...store]);
      expect([verified.code, verified.stdout]).toEqual([0, '2 records checked, 0 differences.\n']);
    });

    it('are found at once after each start on another port', async () => {
      await newStore();
      for (const id of ['a', 'b', 'c']) {
        expect((await load(id, 'Patient/p')).code).toBe(0);
        expect(await serving(undefined, ({ find }) => find('Patient/p'))).toMatchObject({ waits: 0 });
      }
      expect((await run(['index', 'status', ...store])).code).toBe(0);
    });
  });

  describe('the public URL of the server', () => {
    it('is that of the commands too, once it has served', async () => {
      expect((await run(['partition', 'add', 'clinic', ...store])).code).toBe(0);
      await serving(first, async () => {});
      expect((await load('relative', 'Patient/p')).code).toBe(0);
      expect((await load('at-first', patientAt(first))).code).toBe(0);
      expect((await load('at-second', patientAt(second))).code).toBe(0);
      expect((await run(['partition', 'list', ...store])).stdout).toContain(`\t${first}/r4/clinic\t`);
      const { ids, waits } = await serving(first, ({ find }) => find('Patient/p'));
      expect(ids).toEqual(['at-first', 'relative']);
      expect(waits).toBe(0);
    });

    it('changes what absolute references mean: they are read anew', async () => {
      await serving(second, async ({ find }) => {
        expect((await find('Patient/p')).ids).toEqual(['at-second', 'relative']);
        expect((await find(patientAt(first))).ids).toEqual(['at-first']);
      });
      const verified = await run(['index', 'verify', ...store]);
      expect([verified.code, verified.stdout]).toEqual([0, '3 records checked, 0 differences.\n']);
    });

    it('leaves all other indexes as they are', async () => {
      const { code, stdout } = await run(['index', 'status', '--public-url', first, ...store]);
      expect(code).toBe(3);
      expect(stdout).toMatch(/\tEncounter\?patient\tpending/);
      expect(stdout).not.toMatch(/\?(status|date|_id|identifier|name|birthdate)\tpending/);
      expect((await run(['index', 'status', ...store])).code).toBe(0);
    });

    it('is refused to a command that names another one, while it serves', async () => {
      await serving(second, async ({ find }) => {
        expect(await load('wrong', 'Patient/p', '--public-url', first)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('another public URL'),
        });
        expect((await load('right', patientAt(second))).code).toBe(0);
        expect((await find('Patient/p')).ids).toEqual(['at-second', 'relative', 'right']);
      });
    });
  });
}
