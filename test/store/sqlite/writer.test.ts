import { expect, it } from 'vitest';
import * as t from '../support/fixture.ts';
import { Condition, watchedFiles } from '../../../src/store/files/condition.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';
import { StoreUnavailable } from '../../../src/store/port/errors.ts';

it('a writer that dies fails what it was given as transient, and the next job has a new one', async () => {
  const place = await t.newPlace();
  await (await t.openDemo(place.url)).store.close();
  const writer = new Writer({ path: place.path, mode: 'command', files: watchedFiles(place.path) }, new Condition());
  const sweep = { job: { kind: 'sweep', now: 0 }, definitions: '' } as const;
  expect(await writer.submit(sweep)).toEqual({ kind: 'done', value: 0 });
  const nonsense = 'no JSON'; // the worker throws
  const results = await Promise.allSettled([writer.commit(nonsense), writer.commit(nonsense)]);
  for (const result of results)
    expect(result).toMatchObject({ reason: expect.any(StoreUnavailable), status: 'rejected' });
  expect(results[0]).toMatchObject({ reason: { reason: 'transient', message: expect.stringMatching(/starts again/) } });
  expect(await writer.submit(sweep)).toEqual({ kind: 'done', value: 0 });
  await writer.close();
  await place.remove();
});
