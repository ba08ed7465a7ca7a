import { expect, it, onTestFinished } from 'vitest';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { requireModel } from '../../src/engine/definitions/load-model.ts';
import type { Model } from '../../src/model/model.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { openStore } from '../../src/store/open.ts';
import type { Change } from '../../src/store/port/records.ts';
import type { Partition } from '../../src/store/port/partitions.ts';
import type { Store } from '../../src/store/port/store.ts';
import { folderWith, statement } from '../support/definition-files.ts';
import { pending, type Place } from './support/fixture.ts';
import { list } from './support/list.ts';
import { openClinic, shippedModel } from './support/shipped.ts';
import { indexSteps } from './support/verified.ts';

/**
 * What decides how codes are indexed beside the parameter itself: every store builds the index again where it changes.
 */
export function meaningContract(newPlace: () => Promise<Place>): void {
  it('the codes of a code system that becomes case-sensitive are indexed again', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const first = await openClinic(place.url, await shippedModel());
    await first.clinic.write([observation('a', 'AB')]);
    await first.clinic.write([observation('b', 'ab')]);
    expect(await find(first.clinic, await shippedModel(), 'ab')).toEqual(['a', 'b']);
    await first.store.close();

    const model = await withCodes({ url: 'urn:own', caseSensitive: true });
    const command = await openClinic(place.url, model, { mode: 'command' });
    await command.clinic.write([observation('c', 'ab')]);
    expect((await pending(command.store, 'clinic', 'Observation')).map(({ param }) => param)).toContain('code');
    await list(command.store.indexes.rebuild('clinic', 'Observation'));
    expect(await find(command.clinic, model, 'ab')).toEqual(['b', 'c']);
    expect(await find(command.clinic, model, 'AB')).toEqual(['a']);
    expect((await indexSteps(command.store, 'clinic')).flatMap(step => step.findings)).toEqual([]);
    await command.store.close();
  });

  it('a command registers types that the store does not know yet, where no server runs', async () => {
    const place = await newPlace();
    onTestFinished(() => place.remove());
    const first = await openClinic(place.url, await shippedModel());
    await first.store.close();

    const model = await withGroups();
    const command = await openBeside(place.url, model);
    await command.clinic.write([group('a')]);
    expect((await command.clinic.read('Group', 'a'))?.version).toBe(1);
    expect(await pending(command.store, 'clinic', 'Group')).toEqual([]);
    expect((await indexSteps(command.store, 'clinic')).flatMap(step => step.findings)).toEqual([]);
    await command.store.close();

    const server = await openClinic(place.url, await shippedModel(), { mode: 'serve' });
    const beside = await openBeside(place.url, model);
    await expect(beside.clinic.write([group('b')])).rejects.toThrow('with other definitions');
    await beside.store.close();
    await server.store.close();
  });
}

function group(id: string): Change {
  const resource = { resourceType: 'Group', id, type: 'person', actual: true };
  return { kind: 'put', type: 'Group', id, text: splitForStamp(JSON.stringify(resource), id) };
}

/** The shipped definitions with one type more. */
function withGroups(): Promise<Model> {
  const declared = statement([
    { type: 'Group', interaction: [{ code: 'search-type' }], searchParam: [{ name: 'type', type: 'token' }] },
  ]);
  return withFile('capability', declared);
}

async function find(clinic: Partition, model: Model, code: string): Promise<readonly string[]> {
  const param = model.types.get('Observation')?.indexed.get('code');
  if (param === undefined) throw new Error('The parameter is not there');
  const query = { kind: 'param', param, test: { kind: 'token', system: 'urn:own', code } } as const;
  const page = await clinic.search('Observation', { query, sort: [{ by: 'default', descending: true }], limit: 10 });
  return page.versions.map(({ id }) => id).toSorted();
}

function observation(id: string, code: string): Change {
  const resource = {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'urn:own', code }] },
    subject: { reference: 'Patient/p1' },
  };
  return { kind: 'put', type: 'Observation', id, text: splitForStamp(JSON.stringify(resource), id) };
}

/** Opens a store as a command does that finds its partition. */
async function openBeside(url: string, model: Model): Promise<{ store: Store; clinic: Partition }> {
  const extract = createExtract(model);
  const store = await openStore(url, { model, extract, now: Date.now, mode: 'command', deadline: 20_000 });
  const clinic = await store.partition('clinic');
  if (clinic === undefined) throw new Error('The partition is not there');
  return { store, clinic };
}

/** The shipped definitions with one CodeSystem more. */
const withCodes = (about: object): Promise<Model> =>
  withFile('profiles', { resourceType: 'CodeSystem', status: 'active', content: 'not-present', ...about });

/** The shipped definitions with one file more. */
async function withFile(kind: 'capability' | 'profiles', resource: object): Promise<Model> {
  return (await requireModel({ definitions: [folderWith({ [`${kind}/one.json`]: resource })] })).model;
}
