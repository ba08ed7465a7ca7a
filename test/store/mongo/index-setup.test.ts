import { expect, it, onTestFinished } from 'vitest';
import { indexesOfDatabase, makeNewIndexes } from '../../../src/store/mongo/database-indexes.ts';
import { newMongoPlace } from '../../support/mongodb/place.ts';
import { shippedModel } from '../support/shipped.ts';
import { openCore } from './support/core.ts';

it('the indexes of a new store are made a few types at a time, so that none waits long for a connection', async () => {
  const place = await newMongoPlace();
  const opened = await openCore(place.url);
  onTestFinished(() => opened.close().then(() => place.remove()));
  const core = { ...opened, options: { ...opened.options, model: await shippedModel() } };
  let [used, most] = [0, 0];
  core.client.on('connectionCheckedOut', () => (most = Math.max(most, ++used)));
  core.client.on('connectionCheckedIn', () => (used -= 1));
  await makeNewIndexes(core);
  expect(core.options.model.types.size).toBeGreaterThan(6); // so many, if it were all of them
  expect(most).toBeLessThanOrEqual(5); // four, and one that announces this process
  expect(await indexesOfDatabase(core)).toEqual([]); // none is missing
});
