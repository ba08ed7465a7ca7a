import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';

const folder = fileURLToPath(new URL('../../fixtures/layouts/', import.meta.url));

/** The public URL of the server that wrote the stores of earlier layouts (test/fixtures/layouts). */
export const publicUrl = 'https://first.example/fhir';

/** Puts the store of the oldest layout that a start upgrades at the path of an SQLite file. */
export async function placeOldestSqlite(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, gunzipSync(await readFile(`${folder}sqlite-6.sqlite.gz`)), { mode: 0o600 });
  await cp(`${folder}sqlite-6.attachments`, `${path}.attachments`, { recursive: true });
}

/** Fills an empty MongoDB database with the store of the oldest layout that a start upgrades. */
export async function placeOldestMongo(url: string): Promise<void> {
  const client = new MongoClient(url);
  try {
    for (const line of (await readFile(`${folder}mongo-4.ndjson`, 'utf8')).trimEnd().split('\n')) {
      const { collection, document } = BSON.EJSON.parse(line) as { collection: string; document: BSON.Document };
      await client.db().collection(collection).insertOne(document);
    }
  } finally {
    await client.close();
  }
}
