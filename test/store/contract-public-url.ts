import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import type { Position, Query } from '../../src/search/ast.ts';
import { openStore } from '../../src/store/open.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store, StoreOptions } from '../../src/store/port/store.ts';
import type { Place } from './support/fixture.ts';
import { list } from './support/list.ts';
import { shippedModel } from './support/shipped.ts';
import { indexSteps } from './support/verified.ts';

const [first, second] = ['http://localhost:8080', 'http://localhost:9000'];
const baseAt = (publicUrl: string): string => `${publicUrl}/r4/clinic`;

/** What searches find under one public URL or another: no entry depends on it. */
export function publicUrlContract(newPlace: () => Promise<Place>): void {
  it('a search asks for relative references and for absolute ones below its own base', async () => {
    const { store, clinic } = await opened();
    await clinic.write(everyForm, { unit: 'each' });
    expect(await find(clinic, first)).toEqual(['at-first', 'relative']);
    expect(await find(clinic, second)).toEqual(['at-second', 'relative']);
    expect(await find(clinic, 'http://third.example')).toEqual(['relative']);
    expect(await findCoded(clinic, first)).toEqual(['at-first', 'relative']);
    expect(await findCoded(clinic, second)).toEqual(['at-second', 'relative']);
    expect(await findUrl(clinic, `${baseAt(first)}/Patient/p`)).toEqual(['at-first']);
    expect(await clinic.count('Condition', queryOf(await paramOf('patient'), first))).toBe(2);
    expect(await differences(store)).toEqual([]);
  });

  it('an absolute reference is found as soon as it is written, also by another process', async () => {
    const { store, clinic, url } = await opened();
    await clinic.write([condition('relative', 'Patient/p')]);
    const other = await openAt(url, 'command');
    for (const one of [clinic, other.clinic]) expect(await find(one, first)).toEqual(['relative']);
    await other.clinic.write([condition('at-first', `${baseAt(first)}/Patient/p`)]);
    for (const one of [clinic, other.clinic]) expect(await find(one, first)).toEqual(['at-first', 'relative']);
    await other.clinic.write([condition('at-first', 'Patient/q')]);
    for (const one of [clinic, other.clinic]) expect(await find(one, first)).toEqual(['relative']);
    expect(await differences(store)).toEqual([]);
  });

  it('whom a record belongs to is stored with each version, as it is written', async () => {
    const { clinic } = await opened();
    await clinic.write(everyForm, { unit: 'each' });
    await clinic.write([condition('other', `${baseAt(first)}/Patient/p`)]);
    const expected = new Map([
      ['relative', ['Patient/p']],
      ['at-first', [`${baseAt(first)}/Patient/p`]],
      ['elsewhere', ['http://elsewhere.example/Patient/p']],
      ['other', [`${baseAt(first)}/Patient/p`]],
    ]);
    for (const [id, owners] of expected) expect((await clinic.read('Condition', id))?.owners).toEqual(owners);
    expect((await clinic.read('Condition', 'other', 1))?.owners).toEqual(['Patient/q']);
    const [one] = await clinic.readMany([{ type: 'Condition', id: 'relative' }]);
    const search = { sort: [{ by: 'id', descending: true }] as const, limit: 1 };
    const page = await clinic.search('Condition', { ...search, query: queryOf(await paramOf('patient'), first) });
    expect([one?.owners, page.versions[0]?.owners]).toEqual([['Patient/p'], ['Patient/p']]);
    await clinic.write([{ kind: 'remove', type: 'Condition', id: 'other' }]);
    expect((await clinic.read('Condition', 'other'))?.owners).toBeUndefined();
  });

  it('a conditional create sees a match by an absolute reference', async () => {
    const { clinic } = await opened();
    const query = queryOf(await paramOf('patient'), first);
    const put = (id: string, reference: string): Change => {
      const change = condition(id, reference);
      return change.kind === 'put' ? { ...change, precondition: { is: 'no-match', query } } : change;
    };
    expect(await clinic.write([put('a', `${baseAt(first)}/Patient/p`)])).toMatchObject([{ outcome: 'created' }]);
    expect(await clinic.write([put('b', 'Patient/p')])).toMatchObject([{ outcome: 'matched', id: 'a' }]);
  });

  it('pages of both forms follow each other in one order', async () => {
    const { clinic } = await opened();
    const forms = ['Patient/p', `${baseAt(first)}/Patient/p`];
    const all = Array.from({ length: 9 }, (_, at) => condition(`c${at}`, forms[at % 2] ?? ''));
    for (const one of all) await clinic.write([one]);
    const query = queryOf(await paramOf('patient'), first);
    const ids: string[] = [];
    for (let after: Position | undefined; ;) {
      const search = { query, sort: [{ by: 'lastUpdated', descending: true }] as const, limit: 2 };
      const page = await clinic.search('Condition', { ...search, ...(after === undefined ? {} : { after }) });
      ids.push(...page.versions.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(ids).toEqual(all.map(({ id }) => id).toReversed());
  });

  it('an index that is built again has both forms', async () => {
    const { store, clinic } = await opened();
    await clinic.write(everyForm, { unit: 'each' });
    await list(store.indexes.rebuild('clinic', 'Condition', 'patient'));
    expect(await find(clinic, first)).toEqual(['at-first', 'relative']);
    expect(await find(clinic, second)).toEqual(['at-second', 'relative']);
    expect(await differences(store)).toEqual([]);
  });

  async function opened(): Promise<{ store: Store; clinic: Partition; url: string }> {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    return { ...(await openAt(place.url, 'serve')), url: place.url };
  }

  async function openAt(url: string, mode: StoreOptions['mode']): Promise<{ store: Store; clinic: Partition }> {
    const store = await openStore(url, {
      model: await model,
      extract: createExtract(await model),
      now: Date.now,
      mode,
      deadline: 1_000,
    });
    onTestFinished(() => store.close());
    await store.partitions.add('clinic', { zone: 'UTC' });
    const clinic = await store.partition('clinic');
    if (clinic === undefined) throw new Error('The partition is not there');
    return { store, clinic };
  }
}

const model = shippedModel();

async function differences(store: Store): Promise<readonly string[]> {
  return (await indexSteps(store, 'clinic')).flatMap(step => step.findings.map(({ what, why }) => `${what}: ${why}`));
}

type Param = Extract<Query, { kind: 'param' }>['param'];

async function paramOf(code: string): Promise<Param> {
  const param = (await model).types.get('Condition')?.indexed.get(code);
  if (param === undefined) throw new Error(`There is no \`${code}\``);
  return param;
}

/** Records of the patient `p`, by a server at this public URL. */
function queryOf(param: Param, publicUrl: string): Query {
  return { kind: 'param', param, test: { kind: 'reference', type: 'Patient', id: 'p', base: baseAt(publicUrl) } };
}

async function ids(clinic: Partition, query: Query): Promise<readonly string[]> {
  const page = await clinic.search('Condition', { query, sort: [{ by: 'default', descending: true }], limit: 10 });
  return page.versions.map(one => one.id).toSorted();
}

async function find(clinic: Partition, publicUrl: string): Promise<readonly string[]> {
  return ids(clinic, queryOf(await paramOf('patient'), publicUrl));
}

async function findUrl(clinic: Partition, url: string): Promise<readonly string[]> {
  return ids(clinic, { kind: 'param', param: await paramOf('patient'), test: { kind: 'reference', url } });
}

/** By the pair of owner and code. */
async function findCoded(clinic: Partition, publicUrl: string): Promise<readonly string[]> {
  const test = { kind: 'token', system: 'urn:own', code: 'x' } as const;
  const coded: Query = { kind: 'param', param: await paramOf('code'), test };
  return ids(clinic, { kind: 'and', of: [queryOf(await paramOf('patient'), publicUrl), coded] });
}

const everyForm: readonly Change[] = [
  condition('relative', 'Patient/p'),
  condition('at-first', `${baseAt(first)}/Patient/p`),
  condition('at-second', `${baseAt(second)}/Patient/p`),
  condition('elsewhere', 'http://elsewhere.example/Patient/p'),
  condition('other-partition', `${first}/r4/other/Patient/p`),
  condition('other', 'Patient/q'),
];

function condition(id: string, reference: string): Change {
  const code = { coding: [{ system: 'urn:own', code: 'x' }] };
  const resource = { resourceType: 'Condition', id, code, subject: { reference } };
  return { kind: 'put', type: 'Condition', id, text: splitForStamp(JSON.stringify(resource), id) };
}
