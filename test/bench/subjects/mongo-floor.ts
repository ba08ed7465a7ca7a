import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import { BSON, MongoClient } from 'mongodb';
import type { FindCommand, MongoRecording } from '../protocol.ts';
import { publicUrl } from '../public-url.ts';
import { answerQuestions } from './serve.ts';

// A child process: bare koa before bare calls of the driver: `findOne` for a read, and for a search the query that the
// service asks, with the stored texts put together. Arguments: the URL of the store, the recording (mongo-recorder.ts),
// the database.

const [url = '', recorded = '', name = ''] = process.argv.slice(2);
const client = await new MongoClient(url).connect();
const database = client.db(name);
const { requests } = BSON.EJSON.parse(readFileSync(recorded, 'utf8')) as MongoRecording; // of mongo-recorder.ts
const byPath = new Map(Object.entries(requests));

interface Stored {
  readonly _id: string;
  readonly version: number;
  readonly updated: number;
  readonly text: string;
}

const find = ({ collection, filter, options }: FindCommand): Promise<Stored[]> =>
  database.collection<Stored>(collection).find<Stored>(filter, options).toArray();

const token = 'x'.repeat(200);
const app = new Koa();
app.use(async context => {
  const commands = byPath.get(context.url) ?? [];
  const [, , partition = '', type = '', id] = context.path.split('/');
  context.type = 'application/fhir+json; charset=utf-8';
  if (id !== undefined) {
    const [command] = commands;
    if (command === undefined) return;
    const { collection, filter, options } = command;
    const { projection } = options;
    const found = await database
      .collection<Stored>(collection)
      .findOne(filter, projection === undefined ? {} : { projection });
    if (found === null) return;
    context.set('ETag', `W/"${found.version}"`);
    context.set('Last-Modified', new Date(found.updated).toUTCString());
    context.body = found.text;
    return;
  }
  const count = Number(context.query['_count'] ?? 20);
  const base = `${publicUrl}/r4/${partition}/${type}`;
  const found: Stored[] = [];
  for (const command of commands) found.push(...(await find(command)));
  const entries = found
    .slice(0, count)
    .map(
      ({ _id, text }) =>
        `{"fullUrl":"${base}/${_id.slice(_id.indexOf('/') + 1)}","resource":${text},"search":{"mode":"match"}}`,
    );
  const next = found.length > count ? `,{"relation":"next","url":"${base}?_page_token=${token}"}` : '';
  const links = `[{"relation":"self","url":"${base}?${context.querystring}"}${next}]`;
  const list = entries.length === 0 ? '' : `,"entry":[${entries.join(',')}]`;
  context.body = `{"resourceType":"Bundle","type":"searchset","link":${links}${list}}`;
});
const server = app.listen(0, '127.0.0.1', () => {
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await client.close();
  };
  answerQuestions((server.address() as AddressInfo).port, close);
});
