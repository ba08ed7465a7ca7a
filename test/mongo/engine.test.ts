import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startMongo } from '../support/mongodb/engine.ts';
import { newMongoPlace, withDatabase } from '../support/mongodb/place.ts';
import { selfSigned } from '../support/certificate.ts';

describe('the engine of these tests', () => {
  it('keeps what is acknowledged when it is killed or stopped, and comes back on its port', async () => {
    const engine = await startMongo();
    onTestFinished(() => engine.remove());
    for (const end of ['kill', 'stop'] as const) {
      const client = new MongoClient(engine.url, { writeConcern: { journal: true } });
      await client.db('d').collection('c').insertOne({ end });
      await engine[end]();
      await engine.start();
      expect(await client.db('d').collection('c').countDocuments({ end })).toBe(1);
      await client.close();
    }
  });

  it('speaks TLS', async () => {
    const { cert, key } = selfSigned('mongodb');
    const engine = await startMongo({ tls: { cert, key } });
    onTestFinished(() => engine.remove());
    const client = new MongoClient(engine.url, { tls: true, ca: cert });
    expect(await client.db('d').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await client.close();
  });
});

describe('a database of a test', () => {
  it('is one of its own, and gone afterwards', async () => {
    const [one, other] = [await newMongoPlace(), await newMongoPlace()];
    const client = new MongoClient(one.url);
    onTestFinished(() => client.close());
    await client.db().collection('c').insertOne({});
    expect(one.url).not.toBe(other.url);
    await other.remove();
    expect(await client.db().collection('c').countDocuments()).toBe(1);
    await one.remove();
    expect(await client.db().collection('c').countDocuments()).toBe(0);
  });

  it.each([
    ['mongodb://h', 'mongodb://h/x'],
    ['mongodb://h:1,i:2/?replicaSet=r', 'mongodb://h:1,i:2/x?replicaSet=r'],
    ['mongodb://u:p%40@h/', 'mongodb://u:p%40@h/x?authSource=admin'],
    ['mongodb+srv://u:p@h/d?tls=true', 'mongodb+srv://u:p@h/x?tls=true&authSource=d'],
    ['mongodb://u:p@h/d?authSource=e', 'mongodb://u:p@h/x?authSource=e'],
  ])('of %s is %s', (server, url) => {
    expect(withDatabase(server, 'x')).toBe(url);
  });
});
