import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import type { Query } from '../../src/search/ast.ts';
import { openStore } from '../../src/store/open.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import { publicUrl } from './support/layouts.ts';
import { runAndKill } from './support/run-and-kill.ts';
import { indexSteps, storeSteps } from './support/verified.ts';
import { shippedModel } from './support/shipped.ts';
import { attachmentsIn } from '../support/attached.ts';

/**
 * What a start makes of a store of an earlier layout, which `place` makes at a place of its own. `interrupt` makes an
 * upgraded store what it was in the middle of its upgrade. One in `each` of its records is tried as the last one; a
 * process is killed in so many `rounds`.
 */
export function upgradeContract(
  place: () => Promise<{ readonly url: string; remove(): Promise<void> }>,
  interrupt: (url: string) => Promise<void>,
  { each = 1, rounds = Number(process.env['CRS_TEST_ROUNDS'] ?? 2) } = {},
): void {
  const own = `${publicUrl}/r4/clinic`;

  it('a server upgrades it before it answers: all records exist, searches work, `verify` finds nothing', async () => {
    const notices: string[] = [];
    const { store, clinic } = await open(await placed(), { notice: text => notices.push(text) });
    await expectUpgraded(store, clinic);
    expect(notices.join('\n')).toMatch(/^Upgrading the \w+ of Condition: 5 of 5 records$/m);
    expect((await clinic.read('Condition', 'relative', 1))?.text).toContain('"reference":"Patient/p"');
    expect((await clinic.read('Condition', 'relative'))?.version).toBe(3);
    expect((await clinic.read('Condition', 'removed'))?.text).toBeUndefined();
    expect(await clinic.mark('load')).toBe('17');
    const attachments = await attachmentsIn(clinic, 'Media');
    expect(attachments.map(({ id, size }) => [id, size])).toEqual([['relative', 15]]);
  });

  it('a second start finds nothing to do', async () => {
    const url = await placed();
    await (await open(url)).store.close();
    const notices: string[] = [];
    const { store } = await open(url, { notice: text => notices.push(text) });
    expect(notices.filter(text => text.startsWith('Upgrading'))).toEqual([]);
    expect(await waiting(store)).toEqual([]);
  });

  it('an upgrade that ends at any record is finished by the next start', async () => {
    const outcomes: string[] = [];
    for (let most = 0; outcomes.at(-1) !== 'finished'; most += each) {
      const url = await placed();
      const interrupted = await open(url, {}, most).then(
        async ({ store }) => {
          await store.close();
          return 'finished';
        },
        (error: unknown) => String(error),
      );
      const { store, clinic } = await open(url);
      await expectUpgraded(store, clinic);
      await store.close();
      outcomes.push(interrupted);
    }
    expect(outcomes.length).toBeGreaterThan(3);
    expect(new Set(outcomes)).toEqual(new Set(['Error: the process ends here', 'finished']));
  });

  it('an interrupted upgrade of many records continues where it stopped', async () => {
    const url = await placed();
    const before = await open(url);
    const more = Array.from({ length: 245 }, (_, at) => condition(`more-${1000 + at}`, `${own}/Patient/q`));
    await before.clinic.write(more, { unit: 'each' });
    await before.store.close();
    await interrupt(url);
    await expect(open(url, {}, 150)).rejects.toThrow('the process ends here');
    const resumed = await open(url, {}, 250 - 100);
    expect(await waiting(resumed.store)).toEqual([]);
    await resumed.store.close();
    const { store, clinic } = await open(url);
    expect(await clinic.count('Condition', await queryOf('Condition', 'q'))).toBe(246);
    expect(await differences(store)).toEqual([]);
  });

  const timeout = 60_000 + rounds * 60_000;
  it(`a start that is killed ${rounds} times is finished by the next one`, { timeout }, async () => {
    for (let round = 0; round < rounds; round += 1) {
      const url = await placed();
      await runAndKill('upgrade-child.ts', [url], (round * 37) % 150);
      const { store, clinic } = await open(url);
      await expectUpgraded(store, clinic);
      expect(await waiting(store)).toEqual([]);
      await store.close();
    }
  });

  it(`an upgrade of many records that is killed ${rounds} times continues where it stopped`, { timeout }, async () => {
    const url = await placed();
    const before = await open(url);
    const more = Array.from({ length: 1_245 }, (_, at) => condition(`more-${10_000 + at}`, `${own}/Patient/q`));
    await before.clinic.write(more, { unit: 'each' });
    await before.store.close();
    let [done, interrupted] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      if (done === 0) await interrupt(url);
      const lines = await runAndKill(
        'upgrade-child.ts',
        [url],
        (round * 23) % 70,
        /^Upgrading the \w+ of Condition: /m,
      );
      const [first] = lines.flatMap(line => / of Condition: (\d+) of /.exec(line)?.[1] ?? []);
      expect(Number(first)).toBeGreaterThan(done);
      const { store } = await open(url, { mode: 'command' });
      const pending = (await store.indexes.status()).filter(({ state }) => state === 'pending');
      await store.close();
      if (pending.length > 0) interrupted += 1;
      done = pending.length === 0 ? 0 : Math.min(...pending.map(one => one.done));
    }
    expect(interrupted).toBeGreaterThan(0);
    const { store, clinic } = await open(url);
    expect(await waiting(store)).toEqual([]);
    expect(await clinic.count('Condition', await queryOf('Condition', 'q'))).toBe(1_246);
    expect(await differences(store)).toEqual([]);
  });

  it('a command may come first: a server finishes what that began', async () => {
    const url = await placed();
    const command = await open(url, { mode: 'command' });
    await command.clinic.write([condition('new', `${own}/Patient/q`)]);
    await command.store.close();
    const { store, clinic } = await open(url);
    expect(await find(clinic, 'Condition', 'q')).toEqual(['new', 'other']);
    expect(await waiting(store)).toEqual([]);
    expect(await differences(store)).toEqual([]);
  });

  async function placed(): Promise<string> {
    const found = await place();
    onTestFinished(() => found.remove());
    return found.url;
  }

  async function expectUpgraded(store: Store, clinic: Partition): Promise<void> {
    expect(await waiting(store)).toEqual([]);
    expect(await find(clinic, 'Condition', 'p')).toEqual(['own', 'relative']);
    expect(await find(clinic, 'Condition', 'p', 'https://second.example/r4/clinic')).toEqual(['relative', 'second']);
    expect(await find(clinic, 'Condition', 'p', own, 'x')).toEqual(['own', 'relative']);
    expect(await find(clinic, 'Encounter', 'p')).toEqual(['relative']);
    expect(await find(clinic, 'Observation', 'q')).toEqual(['own', 'relative-2']);
    expect(await find(clinic, 'Media', 'p')).toEqual(['relative']);
    expect((await clinic.read('Condition', 'own'))?.owners).toEqual([`${own}/Patient/p`]);
    expect((await clinic.read('Encounter', 'relative'))?.owners).toEqual(['Patient/p']);
    expect(await differences(store)).toEqual([]);
  }

  /** Records of a patient that a server at this base finds. */
  async function queryOf(type: string, patient: string, base = own, code?: string): Promise<Query> {
    const { types } = await model;
    const paramOf = (name: string) => {
      const param = types.get(type)?.indexed.get(name);
      if (param === undefined) throw new Error(`There is no \`${name}\``);
      return param;
    };
    const test = { kind: 'reference', type: 'Patient', id: patient, base } as const;
    const owned: Query = { kind: 'param', param: paramOf('patient'), test };
    if (code === undefined) return owned;
    const coded: Query = { kind: 'param', param: paramOf('code'), test: { kind: 'token', system: 'urn:codes', code } };
    return { kind: 'and', of: [owned, coded] };
  }

  async function find(clinic: Partition, ...of: Parameters<typeof queryOf>): Promise<readonly string[]> {
    const search = { query: await queryOf(...of), sort: [{ by: 'default', descending: true }] as const, limit: 10 };
    return (await clinic.search(of[0], search)).versions.map(({ id }) => id).toSorted();
  }
}

const model = shippedModel();

/** Opens a store, in a process that ends after it has extracted the entries of so many records. */
async function open(
  url: string,
  options: Partial<StoreOptions> = {},
  most = Infinity,
): Promise<{ store: Store; clinic: Partition }> {
  const read = createExtract(await model);
  let done = 0;
  const extract: typeof read = (...of) => {
    if ((done += 1) > most) throw new Error('the process ends here');
    return read(...of);
  };
  const store = await openStore(url, {
    model: await model,
    extract,
    now: Date.now,
    mode: 'serve',
    deadline: 5_000,
    ...options,
  });
  onTestFinished(() => store.close());
  const clinic = await store.partition('clinic');
  if (clinic === undefined) throw new Error('The partition is not there');
  return { store, clinic };
}

async function waiting(store: Store): Promise<readonly string[]> {
  return (await store.indexes.status()).flatMap(({ type, param, state }) =>
    state === 'ready' ? [] : [`${type}?${param}`],
  );
}

async function differences(store: Store): Promise<readonly string[]> {
  const indexes = await indexSteps(store, 'clinic');
  const values = await storeSteps(store);
  return [...indexes, ...values].flatMap(({ findings }) => findings.map(({ what, why }) => `${what}: ${why}`));
}

function condition(id: string, reference: string): Change {
  const code = { coding: [{ system: 'urn:codes', code: 'x' }] };
  const resource = { resourceType: 'Condition', id, code, subject: { reference } };
  return { kind: 'put', type: 'Condition', id, text: splitForStamp(JSON.stringify(resource), id) };
}
