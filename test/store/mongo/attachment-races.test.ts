import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAttachment, putAttachment, requireAttachments } from '../../../src/store/mongo/attachments.ts';
import { chunks, files } from '../../../src/store/mongo/attachment-bucket.ts';
import { sweepAttachments } from '../../../src/store/mongo/attachment-sweep.ts';
import { resources } from '../../../src/store/mongo/core.ts';
import { startHeartbeat } from '../../../src/store/mongo/heartbeat.ts';
import { indexFields } from '../../../src/store/mongo/entries.ts';
import { AttachmentMissing } from '../../../src/store/store.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import { modelOf, typeName } from '../support/fixture.ts';
import { digestOf } from '../support/bytes-of.ts';
import { openCore } from './support/core.ts';

let place: Place;
beforeEach(async () => {
  place = await newMongoPlace();
});
afterEach(() => place.remove());

const rounds = 30;
const lanes = 4;

it('processes that come and go, put the same bytes and sweep all the time lose none that get a record', async () => {
  const looking = await openCore(place.url);
  const over = new AbortController();
  const sweeping = async (): Promise<void> => {
    while (!over.signal.aborted) await sweepAttachments(looking);
  };
  /** One process takes leave when it has put the bytes, one puts them too and writes a record; which is first varies. */
  const recorded: Uint8Array[] = [];
  const race = async (bytes: Uint8Array, delay: number): Promise<void> => {
    const [going, staying] = [
      { ...looking, process: randomUUID() },
      { ...looking, process: randomUUID() },
    ];
    const [leave, leaveLater] = [await startHeartbeat(going), await startHeartbeat(staying)];
    const goes = async (): Promise<void> => {
      await setTimeout(Math.max(0, delay));
      await putAttachment(going, '1', bytes);
      await leave();
    };
    const stays = async (): Promise<void> => {
      await setTimeout(Math.max(0, -delay));
      const kept = { path: 'Basic.x', contentType: 'image/png', ...(await putAttachment(staying, '1', bytes)) };
      await setTimeout(Math.abs(delay));
      await requireAttachments(staying, '1', [kept], typeName);
      await insertRecord(staying, kept);
      recorded.push(bytes);
    };
    await Promise.all([goes(), stays()]);
    await leaveLater();
  };
  const sweepers = [sweeping(), sweeping(), sweeping()];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let round = 0; round < rounds; round += 1)
        await race(Buffer.from(`${lane} ${round}`), ((round * 7 + lane * 3) % 41) - 20);
    }),
  );
  over.abort();
  await Promise.all(sweepers);

  expect(recorded).toHaveLength(rounds * lanes);
  for (const bytes of recorded) {
    const stream = await openAttachment(looking, '1', digestOf(bytes));
    expect(Buffer.compare(await buffer(stream ?? Readable.from([])), bytes)).toBe(0);
  }
  await sweepAttachments(looking);
  const left = [await files(looking).countDocuments(), await chunks(looking).countDocuments()];
  expect(left).toEqual([recorded.length, recorded.length]);
  await looking.close();
});

it('bytes that a write asks for wait anew, and for its process', async () => {
  const [first, second] = [await openCore(place.url), await openCore(place.url)];
  const put = await putAttachment(first, '1', Buffer.from('bytes'));
  const kept = { path: 'Basic.x', contentType: 'image/png', ...put };
  await files(first).updateMany({}, { $set: { 'metadata.touched': new Date(0) } });
  await requireAttachments(first, '1', [kept], typeName);
  await sweepAttachments(second);
  expect(await files(second).countDocuments()).toBe(1);
  await requireAttachments(second, '1', [kept], typeName);
  await first.close();
  await sweepAttachments(second);
  expect(await files(second).countDocuments()).toBe(1);
  await files(second).updateMany({}, { $set: { 'metadata.touched': new Date(0) } });
  await sweepAttachments(second);
  await expect(requireAttachments(second, '1', [kept], typeName)).rejects.toThrow(AttachmentMissing);
  await expect(requireAttachments(second, '1', [{ ...kept, size: 1 }], typeName)).rejects.toThrow(AttachmentMissing);
  await second.close();
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
