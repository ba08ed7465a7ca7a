import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAttachment, putAttachment, requireAttachments } from '../../../src/store/mongo/attachments.ts';
import { chunks, files } from '../../../src/store/mongo/attachment-bucket.ts';
import { sweepAttachments } from '../../../src/store/mongo/attachment-sweep.ts';
import { resources } from '../../../src/store/mongo/core.ts';
import { indexFields } from '../../../src/store/mongo/entries.ts';
import { AttachmentMissing } from '../../../src/store/port/errors.ts';
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

it('bytes that come again while they are swept, in the trash or not, are there for their record', async () => {
  const looking = await openCore(place.url);
  const over = new AbortController();
  const sweeping = async (): Promise<void> => {
    while (!over.signal.aborted) await sweepAttachments(looking);
  };
  const recorded: Uint8Array[] = [];
  /** Bytes that were put long ago come again and get a record; the sweeps may take them before, meanwhile or never. */
  const race = async (bytes: Uint8Array, delay: number, isTrash: boolean): Promise<void> => {
    await putAttachment(looking, '1', bytes);
    const trashed = isTrash ? { 'metadata.trashed': new Date(0) } : {};
    const filename = `1/${digestOf(bytes)}`;
    await files(looking).updateOne({ filename }, { $set: { 'metadata.touched': new Date(0), ...trashed } });
    await setTimeout(delay);
    let kept = { path: 'Basic.x', contentType: 'image/png', digest: digestOf(bytes), size: bytes.length };
    try {
      await requireAttachments(looking, '1', [kept], typeName);
    } catch (error) {
      if (!(error instanceof AttachmentMissing)) throw error;
      kept = { ...kept, ...(await putAttachment(looking, '1', bytes)) };
      await requireAttachments(looking, '1', [kept], typeName);
    }
    await setTimeout(delay);
    await insertRecord(looking, kept);
    recorded.push(bytes);
  };
  const sweepers = [sweeping(), sweeping(), sweeping()];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let round = 0; round < rounds; round += 1)
        await race(Buffer.from(`${lane} ${round}`), (round * 7 + lane * 3) % 21, round % 3 > 0);
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

it('bytes that a write refers to wait again, or are missing', async () => {
  const core = await openCore(place.url);
  const kept = { path: 'Basic.x', contentType: 'image/png', ...(await putAttachment(core, '1', Buffer.from('bytes'))) };
  const longAgo = (...times: readonly string[]) =>
    files(core).updateMany({}, { $set: Object.fromEntries(times.map(time => [`metadata.${time}`, new Date(0)])) });
  await longAgo('touched');
  await requireAttachments(core, '1', [kept], typeName);
  await sweepAttachments(core);
  expect(await files(core).findOne()).not.toHaveProperty('metadata.trashed');
  await longAgo('touched');
  await sweepAttachments(core);
  expect(await files(core).findOne()).toHaveProperty('metadata.trashed');
  await requireAttachments(core, '1', [kept], typeName);
  expect(await files(core).findOne()).not.toHaveProperty('metadata.trashed');
  await longAgo('touched', 'trashed');
  await sweepAttachments(core);
  await expect(requireAttachments(core, '1', [kept], typeName)).rejects.toThrow(AttachmentMissing);
  await expect(requireAttachments(core, '1', [{ ...kept, size: 1 }], typeName)).rejects.toThrow(AttachmentMissing);
  await core.close();
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
    ...indexFields(type, '1', id, { updated: 1, created: 1 }, []),
    attached: [kept],
  });
}
