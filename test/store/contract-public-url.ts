import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { modelAt } from '../../src/indexing/at-public-url.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import type { Query } from '../../src/search/ast.ts';
import { openStore } from '../../src/store/open.ts';
import type { Change } from '../../src/store/records.ts';
import type { Partition } from '../../src/store/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/store.ts';
import { StoreRefused } from '../../src/store/errors.ts';
import type { Place } from './support/fixture.ts';
import { list } from './support/list.ts';
import { shippedModel } from './support/shipped.ts';
import { indexSteps } from './support/verified.ts';

const [first, second] = ['http://localhost:8080', 'http://localhost:9000'];

/** What becomes of entries where the server is reached by another public URL. */
export function publicUrlContract(newPlace: () => Promise<Place>): void {
  it('another public URL: what holds no absolute reference to the old or the new one is ready at once', async () => {
    const url = await filled([condition('a', 'Patient/p'), condition('b', 'http://elsewhere.example/Patient/p')]);
    const { store, clinic } = await openAt(url, second);
    expect(await waiting(store)).toEqual([]);
    expect(await clinic.pending('Condition')).toEqual([]);
    expect(await find(clinic, { id: 'p', type: 'Patient' })).toEqual(['a']);
    expect(await findCoded(clinic)).toEqual(['a']);
    expect(await differences(store)).toEqual([]);
    await clinic.write([condition('c', `${second}/r4/clinic/Patient/p`)]);
    expect(await find(clinic, { id: 'p', type: 'Patient' })).toEqual(['a', 'c']);
    await store.close();
  });

  it.each([
    ['old', `${first}/r4/clinic/Patient/p`, ['a'], { url: `${first}/r4/clinic/Patient/p` }, ['b']],
    ['new', `${second}/r4/clinic/Patient/p`, ['a', 'b'], { url: `${second}/r4/clinic/Patient/p` }, []],
  ])(
    'an absolute reference to the %s public URL has the parameters that hold it made anew, and no others',
    async (_which, reference, own, test, absolute) => {
      const url = await filled([condition('a', 'Patient/p'), condition('b', reference), encounter('e', 'Patient/p')]);
      const before = await openAt(url, second, 'command');
      await before.clinic.write([encounter('f', 'Patient/p')]);
      expect(await waiting(before.store)).toEqual([
        'Condition?patient',
        'Condition?patient+category',
        'Condition?patient+clinical-status',
        'Condition?patient+code',
        'Condition?patient+verification-status',
      ]);
      await list(before.store.indexes.rebuild('clinic', 'Condition'));
      await before.store.close();
      const { store, clinic } = await openAt(url, second);
      expect(await waiting(store)).toEqual([]);
      expect(await find(clinic, { id: 'p', type: 'Patient' })).toEqual(own);
      expect(await find(clinic, test)).toEqual(absolute);
      expect(await findCoded(clinic)).toEqual(own);
      expect(await differences(store)).toEqual([]);
      await store.close();
    },
  );

  it('a partition is asked for itself: a reference to another one of ours depends on nothing', async () => {
    const url = await filled([condition('a', `${first}/r4/other/Patient/p`)]);
    const { store } = await openAt(url, second);
    expect(await waiting(store)).toEqual([]);
    await store.close();
  });

  it('an index that was being made goes on where it was', async () => {
    const many = Array.from({ length: 150 }, (_, at) => condition(`c${1000 + at}`, 'Patient/p'));
    const url = await filled(many);
    const before = await openAt(url, first, 'command');
    const rebuild = before.store.indexes.rebuild('clinic', 'Condition', 'patient')[Symbol.asyncIterator]();
    expect((await rebuild.next()).value).toMatchObject({ done: 100 });
    await rebuild.return?.();
    await before.store.close();
    const { store, clinic } = await openAt(url, second, 'command');
    await clinic.write([condition('a', 'Patient/p')]);
    const state = (await store.indexes.status()).find(one => one.type === 'Condition' && one.param === 'patient');
    expect(state).toMatchObject({ state: 'pending', done: 100 });
    await store.close();
    const server = await openAt(url, second);
    await settled(server.store);
    expect(await find(server.clinic, { id: 'p', type: 'Patient' }, [], 200)).toHaveLength(151);
    expect(await differences(server.store)).toEqual([]);
    await server.store.close();
  });

  it.each([
    ['nothing depends on it', 'Patient/p', []],
    ['something depends on it', `${first}/r4/clinic/Patient/p`, ['Condition?patient', 'Encounter?patient']],
  ])('whoever only reads by another public URL sees it where %s', async (_when, reference, expected) => {
    const url = await filled([condition('a', reference)]);
    const { store } = await openAt(url, second, 'read');
    const pending = await waiting(store);
    expect(pending.filter(one => /^(Condition|Encounter).patient$/.test(one))).toEqual(expected);
    expect(await differences(store)).toEqual([]);
    await store.close();
  });

  it('a command that began before a server of another public URL goes on by that one, where nothing depends on it', async () => {
    const url = await filled([condition('a', 'Patient/p')]);
    const command = await openAt(url, first, 'command');
    await command.clinic.write([condition('b', 'Patient/p')]);
    const server = await openAt(url, second);
    await settled(server.store);
    await eventually(() => command.clinic.write([condition('c', `${second}/r4/clinic/Patient/p`)]));
    await command.clinic.write([condition('d', `${first}/r4/clinic/Patient/p`)]);
    expect(await waiting(server.store)).toEqual([]);
    expect(await waiting(command.store)).toEqual([]);
    expect(await find(server.clinic, { id: 'p', type: 'Patient' })).toEqual(['a', 'b', 'c']);
    expect(await differences(server.store)).toEqual([]);
    await command.store.close();
    await server.store.close();
  });

  it('a command of another public URL is refused beside a server, where something depends on it', async () => {
    const url = await filled([condition('a', `${first}/r4/clinic/Patient/p`)]);
    const server = await openAt(url, first);
    const command = await openAt(url, second, 'command');
    await expect(command.clinic.write([condition('b', 'Patient/p')])).rejects.toThrow(StoreRefused);
    expect(await waiting(server.store)).toEqual([]);
    await command.store.close();
    await server.store.close();
  });

  /** A store at a new place, to which a command of the first URL has written. */
  async function filled(changes: readonly Change[]): Promise<string> {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const store = await openStoreAt(place.url, first, 'command');
    await store.partitions.add('clinic', { zone: 'UTC' });
    await (await store.partition('clinic'))?.write(changes, { unit: 'each' });
    await store.close();
    return place.url;
  }
}

async function openStoreAt(url: string, publicUrl: string, mode: StoreOptions['mode']): Promise<Store> {
  const shipped = await shippedModel();
  const at = (root: string) => ({ model: modelAt(shipped, root), extract: createExtract(shipped, root) });
  return openStore(url, { ...at(publicUrl), at, now: Date.now, mode, deadline: 1_000 });
}

async function openAt(
  url: string,
  publicUrl: string,
  mode: StoreOptions['mode'] = 'serve',
): Promise<{ store: Store; clinic: Partition }> {
  const store = await openStoreAt(url, publicUrl, mode);
  const clinic = await store.partition('clinic');
  if (clinic === undefined) throw new Error('The partition is not there');
  return { store, clinic };
}

/** Indexes that are not ready. */
async function waiting(store: Store): Promise<readonly string[]> {
  const states = await store.indexes.status();
  return states.flatMap(({ type, param, state }) => (state === 'ready' ? [] : [`${type}?${param}`])).toSorted();
}

async function settled(store: Store): Promise<void> {
  await expect.poll(() => waiting(store), { timeout: 30_000 }).toEqual([]);
}

/** A store may see what another process has brought a moment later. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
  await expect.poll(() => work().then(() => 'done')).toBe('done');
}

async function differences(store: Store): Promise<readonly string[]> {
  return (await indexSteps(store, 'clinic')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));
}

async function find(
  clinic: Partition,
  test: { readonly id?: string; readonly type?: string; readonly url?: string },
  more: readonly { readonly code: string }[] = [],
  limit = 10,
): Promise<readonly string[]> {
  const { types } = await shippedModel();
  const paramOf = (code: string) => {
    const param = types.get('Condition')?.indexed.get(code);
    if (param === undefined) throw new Error(`There is no \`${code}\``);
    return param;
  };
  const query: Query = {
    kind: 'and',
    of: [
      { kind: 'param', param: paramOf('patient'), test: { kind: 'reference', ...test } },
      ...more.map(({ code }): Query => ({
        kind: 'param',
        param: paramOf('code'),
        test: { kind: 'token', system: 'urn:own', code },
      })),
    ],
  };
  const page = await clinic.search('Condition', { query, sort: [{ by: 'default', descending: true }], limit });
  return page.versions.map(one => one.id).toSorted();
}

/** By the pair of owner and code. */
function findCoded(clinic: Partition): Promise<readonly string[]> {
  return find(clinic, { id: 'p', type: 'Patient' }, [{ code: 'x' }]);
}

function condition(id: string, reference: string): Change {
  return put('Condition', id, { code: { coding: [{ system: 'urn:own', code: 'x' }] }, subject: { reference } });
}

function encounter(id: string, reference: string): Change {
  return put('Encounter', id, { status: 'finished', class: { code: 'AMB' }, subject: { reference } });
}

function put(type: string, id: string, elements: object): Change {
  return { kind: 'put', type, id, text: splitForStamp(JSON.stringify({ resourceType: type, id, ...elements }), id) };
}
