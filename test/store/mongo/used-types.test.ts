// The types that a partition uses: a delete looks for referrers among them alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { meta, servers, usedTypes } from '../../../src/store/mongo/collections.ts';
import { fillUsedTypes, usedTypesOf } from '../../../src/store/mongo/used-types.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import type { Place } from '../../support/store-place.ts';
import { placeMongo3 } from '../support/layouts.ts';
import { openClinic, person, picture, shippedModel } from '../support/shipped.ts';
import { openCore } from './support/core.ts';

let place: Place;
let core: Awaited<ReturnType<typeof openCore>>;
beforeEach(async () => {
  place = await newMongoPlace();
});
afterEach(async () => {
  await core.close();
  await place.remove();
});

const base = 'https://records.example/r4/clinic';
const used = async (): Promise<readonly string[] | undefined> => {
  const found = await usedTypesOf(core, '1');
  return found && [...found].toSorted();
};

describe('the types of a partition', () => {
  it('are listed before the first record of each is written, and go with the partition', async () => {
    const { store, clinic } = await openClinic(place.url, await shippedModel());
    core = await openCore(place.url);
    expect(await used()).toEqual([]);
    await clinic.write([person('p1', 'P')]);
    await clinic.write([{ kind: 'remove', type: 'Observation', id: 'none' }]);
    expect(await used()).toEqual(['Patient']);
    expect(await clinic.types({ type: 'Patient', ids: ['p1'], base })).toEqual([]);
    await clinic.write([picture('m1', 'M')]);
    expect(await used()).toEqual(['Media', 'Patient']);
    expect(await clinic.types({ type: 'Patient', ids: ['p1'], base })).toEqual(['Media']);
    expect(await clinic.types()).toEqual(['Media', 'Patient']);
    await store.partitions.remove('clinic');
    expect(await used()).toEqual([]);
    await store.close();
  });

  it('that an engine of layout 3 wrote are listed when none of them runs any more', async () => {
    await placeMongo3(place.url);
    const { store, clinic } = await openClinic(place.url, await shippedModel(), { mode: 'command' });
    // The meaning of references has changed since layout 3.
    for await (const _ of store.indexes.rebuild('clinic'));
    core = await openCore(place.url);
    const old = { _id: 'old', mode: 'serve', definitions: '', layout: 3, host: 'elsewhere', pid: 1 } as const;
    await servers(core.database).insertOne({ ...old, seen: new Date() });
    await fillUsedTypes(core);
    expect([await used(), await meta(core.database).findOne({ _id: 'usedTypes' })]).toEqual([undefined, null]);
    const referred = { type: 'Patient', ids: ['p'], base: 'https://first.example/fhir/r4/clinic' };
    const types = await clinic.types(referred);
    expect(await clinic.types()).toEqual([...(await shippedModel()).types.keys()]);
    expect(types).toContain('Condition');
    await servers(core.database).deleteOne({ _id: 'old' });
    await fillUsedTypes(core);
    expect((await clinic.types()).toSorted()).toEqual(['Condition', 'Encounter', 'Media', 'Observation', 'Patient']);
    expect(await used()).toEqual(['Condition', 'Encounter', 'Media', 'Observation', 'Patient']);
    expect(await clinic.types(referred)).toEqual(types);
    await usedTypes(core.database).deleteMany({});
    expect(await clinic.types(referred)).toEqual([]);
    await store.close();
  });
});
