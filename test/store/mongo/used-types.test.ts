// The types that a partition uses: a delete looks for referrers among them alone.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { usedTypesOf } from '../../../src/store/mongo/referring.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import type { Place } from '../../support/store-place.ts';
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
const used = async (): Promise<readonly string[]> => [...(await usedTypesOf(core, '1'))].toSorted();

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
});
