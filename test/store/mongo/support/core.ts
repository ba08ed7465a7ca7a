import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MongoClient } from 'mongodb';
import { createExtract } from '../../../../src/indexing/extract.ts';
import type { Model } from '../../../../src/model/model.ts';
import type { Core } from '../../../../src/store/mongo/core.ts';
import type { ServerDocument } from '../../../../src/store/mongo/layout.ts';

/** The server of these tests; undefined where none is named. */
export const mongoUrl = process.env['CRS_TEST_MONGODB'];

/** What a title says where the tests are left out. */
export const why = mongoUrl === undefined ? ' (left out: CRS_TEST_MONGODB names no server)' : '';

/** The URL of a database of its own. */
export function newDatabase(): string {
  const url = new URL(mongoUrl ?? '');
  url.pathname = `/t-${randomUUID()}`;
  return url.href;
}

/** What the parts of a store share, without the store: as a process that has said that it is there. */
export async function openCore(url: string, model: Model): Promise<Core & { close(): Promise<void> }> {
  const client = await new MongoClient(url).connect();
  const database = client.db();
  const id = randomUUID();
  const servers = database.collection<ServerDocument>('servers');
  await servers.insertOne({
    _id: id,
    mode: 'command',
    definitions: 'of these tests',
    host: hostname(),
    pid: process.pid,
    seen: Date.now(),
  });
  return {
    client,
    database,
    options: {
      model,
      extract: createExtract(model, 'http://localhost:8080'),
      now: Date.now,
      mode: 'command',
      deadline: 5_000,
    },
    deployment: { transactions: false, sharded: false },
    registry: {
      partition: async name => ({ id: name, p: '1', settings: { zone: 'UTC' } }),
      ready: async (_, type) => new Set(type.indexed.keys()),
      forget: () => undefined,
    },
    process: id,
    async close() {
      await servers.deleteOne({ _id: id });
      await client.close();
    },
  };
}
