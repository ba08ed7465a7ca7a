import { expect, it, onTestFinished } from 'vitest';
import { createExtract } from '../../src/indexing/extract.ts';
import type { Query } from '../../src/search/ast.ts';
import { openStore } from '../../src/store/open.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import { publicUrl } from './support/layouts.ts';
import { indexSteps, storeSteps } from './support/verified.ts';
import { shippedModel } from './support/shipped.ts';
import { attachmentsIn } from '../support/attached.ts';

/** What a start makes of a store of the oldest layout that it upgrades, which `place` makes at a place of its own. */
export function upgradeContract(place: () => Promise<{ readonly url: string; remove(): Promise<void> }>): void {
  const own = `${publicUrl}/r4/clinic`;

  it('a server has all records of it, searches work, `verify` finds nothing', async () => {
    const url = await placed();
    for (const mode of ['command', 'serve', 'serve'] as const) {
      const { store, clinic } = await open(url, { mode });
      for await (const _ of mode === 'serve' ? [] : store.indexes.rebuild('clinic'));
      await expect.poll(() => waiting(store)).toEqual([]);
      await expectUpgraded(store, clinic);
      expect((await clinic.read('Condition', 'relative', 1))?.text).toContain('"reference":"Patient/p"');
      expect((await clinic.read('Condition', 'relative'))?.version).toBe(3);
      expect((await clinic.read('Condition', 'removed'))?.text).toBeUndefined();
      expect(await clinic.mark('load')).toBe('17');
      const attachments = await attachmentsIn(clinic, 'Media');
      expect(attachments.map(({ id, size }) => [id, size])).toEqual([['relative', 15]]);
      await store.close();
    }
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

async function open(url: string, options: Partial<StoreOptions> = {}): Promise<{ store: Store; clinic: Partition }> {
  const store = await openStore(url, {
    model: await model,
    extract: createExtract(await model),
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
