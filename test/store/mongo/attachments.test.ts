import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Binary, MongoClient } from 'mongodb';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Model } from '../../../src/model/model.ts';
import { chunks, chunkSize, files } from '../../../src/store/mongo/attachment-bucket.ts';
import type { Core } from '../../../src/store/mongo/core.ts';
import type { Partition } from '../../../src/store/port/partitions.ts';
import type { Store } from '../../../src/store/port/store.ts';
import { newMongoPlace, type Place } from '../../support/mongodb/place.ts';
import { keptChunks } from './support/kept-chunks.ts';
import { bytesOf, digestOf } from '../support/bytes-of.ts';
import { kept, openClinic, picture, shippedModel } from '../support/shipped.ts';
import { attachmentSteps } from '../support/verified.ts';

const child = fileURLToPath(new URL('support/put-child.ts', import.meta.url));

let model: Model;
let place: Place;
let store: Store;
let clinic: Partition;
let client: MongoClient;
/** To look and to damage. */
const bucket = () => {
  const core = { database: client.db() } as Pick<Core, 'database'> as Core;
  return { files: files(core), chunks: chunks(core) };
};
const strays = () => client.db().collection('attachments.strays');
const left = async () => [await bucket().files.countDocuments(), await bucket().chunks.countDocuments()];
const fileOf = async (bytes: Uint8Array) => {
  const file = await bucket().files.findOne({ filename: { $regex: `/${digestOf(bytes)}$` } });
  if (file === null) throw new Error('The file is not there');
  return file;
};
const reopen = async (mode: 'serve' | 'read' | 'command' = 'serve'): Promise<void> => {
  await store.close();
  ({ store, clinic } = await openClinic(place.url, model, { mode }));
};
/** Keeps the bytes of each name with a record of that name. */
const create = async (...names: string[]): Promise<void> => {
  for (const name of names)
    await clinic.write([picture(name, name, { attachments: [await kept(clinic, bytesOf(name))] })]);
};
const read = async (bytes: Uint8Array) => buffer((await clinic.attachment(digestOf(bytes))) ?? Readable.from([]));
const findings = async () => (await attachmentSteps(store, 'clinic')).flatMap(progress => progress.findings);
/** All that is kept has been there for eight days longer. */
const age = (): Promise<void> => keptChunks.age(place.url, 8 * 86_400_000);

beforeAll(async () => {
  model = await shippedModel();
});
beforeEach(async () => {
  place = await newMongoPlace();
  ({ store, clinic } = await openClinic(place.url, model));
  client = new MongoClient(place.url);
});
afterEach(async () => {
  await store.close();
  await client.close();
  await place.remove();
});

describe('the bytes of attachments on MongoDB', () => {
  it('are files of GridFS, by partition and digest', async () => {
    const bytes = Buffer.alloc(chunkSize * 2 + 1, 'ab');
    await clinic.putAttachment(bytes);
    const { _id, ...file } = await fileOf(bytes);
    expect(file).toMatchObject({
      length: bytes.length,
      chunkSize,
      filename: expect.stringMatching(/^[^/]+\/[0-9a-f]{64}$/),
    });
    const found = await bucket().chunks.find({ files_id: _id }).sort({ n: 1 }).toArray();
    expect(found.map(({ n, data }) => [n, data.length()])).toEqual([
      [0, chunkSize],
      [1, chunkSize],
      [2, 1],
    ]);
  });

  it('that two processes put at once are kept once and whole', async () => {
    const two = await Promise.all([1, 2].map(() => putting('x', 5_000_000, 3)));
    const said = await Promise.all(two.map(one => one.put()));
    const bytes = Buffer.alloc(5_000_000, 'x');
    expect(said).toEqual([digestOf(bytes), digestOf(bytes)]);
    expect(await left()).toEqual([1, 20]);
    expect(Buffer.compare(await read(bytes), bytes)).toBe(0);
    await Promise.all(two.map(one => one.kill()));
  });

  it('of a process that is killed while it writes them leave nothing after 7 days', async () => {
    for (const wait of [0, 50, 150]) {
      const one = await putting('z', 60_000_000, 1);
      void one.put().catch(() => undefined);
      await until(async () => ((await left())[0] ?? 0) > 0);
      await new Promise(done => setTimeout(done, wait));
      await one.kill();
      await reopen();
      expect((await left())[0]).toBe(1);
      expect(await findings()).toEqual([]);
      await age();
      await reopen();
      await expect.poll(left).toEqual([0, 0]);
    }
  });

  it('of older versions stay, also where their type is not declared to carry any', async () => {
    await create('a');
    await clinic.write([picture('a', 'changed', { attachments: [] })]);
    const media = model.types.get('Media');
    if (media === undefined) throw new Error('The type is not there');
    await store.close();
    const types = new Map([...model.types, ['Media', { ...media, attachment: undefined }]]);
    ({ store, clinic } = await openClinic(place.url, { ...model, types }));
    await store.close();
    for (const _ of [1, 2]) {
      await age();
      ({ store, clinic } = await openClinic(place.url, model));
      await store.close();
    }
    ({ store, clinic } = await openClinic(place.url, model));
    expect((await left())[0]).toBe(1);
    expect(await findings()).toEqual([]);
  });

  it('that are damaged are written again when they come again', async () => {
    const bytes = Buffer.alloc(chunkSize + 1, 'd');
    await clinic.write([picture('a', 'a', { attachments: [await kept(clinic, bytes)] })]);
    await bucket().chunks.deleteMany({ n: 1 });
    expect(await findings()).toMatchObject([{ is: 'size', records: ['Media/a/_history/1'] }]);
    await expect(read(bytes)).rejects.toThrow('damaged');
    await kept(clinic, bytes);
    expect(Buffer.compare(await read(bytes), bytes)).toBe(0);
    await reopen();
    await expect.poll(left).toEqual([1, 2]);
    expect(await findings()).toEqual([]);
  });

  it('are verified: a missing, unreferenced or changed one is reported with its records', async () => {
    await create('fine', 'missing', 'nameless', 'size', 'digest');
    await clinic.write([picture('size', 'changed')]);
    const { files: found, chunks: parts } = bucket();
    await parts.deleteMany({ files_id: (await fileOf(bytesOf('missing')))._id });
    await found.deleteOne({ _id: (await fileOf(bytesOf('nameless')))._id });
    await parts.updateMany(
      { files_id: (await fileOf(bytesOf('size')))._id },
      { $set: { data: new Binary(Buffer.of(1)) } },
    );
    const changed = new Binary(Buffer.from(bytesOf('digest')).fill(1));
    await parts.updateMany({ files_id: (await fileOf(bytesOf('digest')))._id }, { $set: { data: changed } });
    await reopen('command');
    const orphan = await kept(clinic, bytesOf('orphan'));
    await age();
    await age();
    await kept(clinic, bytesOf('waits'));
    await reopen('read');
    const reported = (await findings()).map(({ is, digest, records }) =>
      [is, digest.replace(/^[0-9a-f]+-.*/, 'chunks'), ...records].join(' '),
    );
    expect(reported.toSorted()).toEqual([
      `digest ${digestOf(bytesOf('digest'))} Media/digest/_history/1`,
      `missing ${digestOf(bytesOf('missing'))} Media/missing/_history/1`,
      `missing ${digestOf(bytesOf('nameless'))} Media/nameless/_history/1`,
      `orphan ${orphan.digest}`,
      'orphan chunks',
      `size ${digestOf(bytesOf('size'))} Media/size/_history/1 Media/size/_history/2`,
    ]);
  });

  it('that have no file are deleted after 14 days, unless their file has come', async () => {
    await create('a');
    const { files_id } = (await bucket().chunks.findOne()) ?? {};
    await bucket().chunks.insertOne({ files_id: `${String(files_id)}x`, n: 0, data: new Binary(Buffer.of(1)) });
    expect(await findings()).toMatchObject([{ is: 'orphan' }]);
    // A file that comes after its chunks, as from a dump that is restored.
    const late = await fileOf(bytesOf('a'));
    await bucket().files.deleteOne({ _id: late._id });
    await reopen();
    await expect.poll(() => strays().countDocuments()).toBe(2);
    await bucket().files.insertOne(late);
    await strays().updateMany({}, [{ $set: { since: { $subtract: ['$since', 13 * 86_400_000] } } }]);
    await reopen();
    await expect.poll(() => strays().countDocuments()).toBe(1);
    expect(await left()).toEqual([1, 2]);
    await strays().updateMany({}, [{ $set: { since: { $subtract: ['$since', 2 * 86_400_000] } } }]);
    await reopen();
    await expect.poll(left).toEqual([1, 1]);
    await expect.poll(() => strays().countDocuments()).toBe(0);
    expect(await findings()).toEqual([]);
  });
});

/** A process that stores the same bytes on request, so many times at once. */
async function putting(kind: string, size: number, times: number) {
  const putter = spawn(process.execPath, [child, place.url, kind, String(size), String(times)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(putter.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    async put(): Promise<string> {
      putter.stdin.write('go\n');
      const { value } = await lines.next();
      return String(value).replace('put ', '');
    },
    async kill(): Promise<void> {
      putter.kill('SIGKILL');
      await once(putter, 'close');
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds()) && Date.now() < end) await new Promise(done => setTimeout(done, 10));
  expect(await holds()).toBe(true);
}
