import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAttachment, putAttachment, requireAttachments } from '../../../src/store/mongo/attachments.ts';
import { chunks, files } from '../../../src/store/mongo/attachment-bucket.ts';
import { sweepAttachments } from '../../../src/store/mongo/attachment-sweep.ts';
import { resources } from '../../../src/store/mongo/core.ts';
import { indexFields } from '../../../src/store/mongo/entries.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import { modelOf, typeName } from '../support/fixture.ts';
import { digestOf } from '../support/bytes-of.ts';
import { openCore } from './support/core.ts';

let place: Place;
beforeEach(async () => {
  place = await newMongoPlace();
});
afterEach(() => place.remove());

it('processes that come and go, put the same bytes and sweep all the time lose none that have a record', async () => {
  const looking = await openCore(place.url);
  const contents = Array.from({ length: 4 }, (_, at) => Buffer.alloc(300_000, `content ${at}`));
  const recorded = new Set<string>();
  const over = new AbortController();
  let swept = 0;
  const sweeping = async (): Promise<void> => {
    for (; !over.signal.aborted; swept += 1) await sweepAttachments(looking);
  };
  const living = async (seed: number): Promise<void> => {
    for (let life = 0; life < 12; life += 1) {
      const core = await openCore(place.url);
      for (let at = 0; at < 2; at += 1) {
        const bytes = contents[(seed + life * 3 + at) % contents.length] ?? Buffer.of();
        const kept = { path: 'Basic.x', contentType: 'image/png', ...(await putAttachment(core, '1', bytes)) };
        if ((seed + life + at) % 3 > 0) continue;
        // Until all have been put, so that others leave and sweeps come between.
        await new Promise(done => setTimeout(done, (life * 13) % 40));
        await requireAttachments(core, '1', [kept], typeName);
        await insertRecord(core, kept);
        recorded.add(kept.digest);
      }
      await core.close();
    }
  };
  const sweepers = [sweeping(), sweeping()];
  await Promise.all([0, 1, 2, 3].map(living));
  over.abort();
  await Promise.all(sweepers);

  expect(swept).toBeGreaterThan(10);
  expect(recorded.size).toBe(contents.length);
  for (const bytes of contents) {
    const stream = await openAttachment(looking, '1', digestOf(bytes));
    expect(Buffer.compare(await buffer(stream ?? Readable.from([])), bytes)).toBe(0);
  }
  await sweepAttachments(looking);
  expect([await files(looking).countDocuments(), await chunks(looking).countDocuments()]).toEqual([4, 8]);
  await looking.close();
});

async function insertRecord(
  core: Parameters<typeof resources>[0],
  kept: Parameters<typeof requireAttachments>[2][number],
): Promise<void> {
  const type = modelOf().types.get(typeName);
  if (type === undefined) throw new Error('The type is not there');
  const id = randomUUID();
  await resources(core, typeName).insertOne({
    _id: `1/${id}`,
    p: '1',
    b: '0000',
    version: 1,
    updated: 1,
    made: '',
    text: '{}',
    ...indexFields(type, '1', id, 1, []),
    attached: [kept],
  });
}
