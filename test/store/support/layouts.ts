import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';

const folder = fileURLToPath(new URL('../../fixtures/layouts/', import.meta.url));

/** The public URL of the server that wrote the stores of earlier layouts (test/fixtures/layouts). */
export const publicUrl = 'https://first.example/fhir';

/** Puts the store of layout 3 at the path of an SQLite file. */
export const placeSqlite3 = (path: string): Promise<void> => placeSqlite(path, 3);

/** The same with the store of layout 5. */
export const placeSqlite5 = (path: string): Promise<void> => placeSqlite(path, 5);

async function placeSqlite(path: string, layout: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, gunzipSync(await readFile(`${folder}sqlite-${layout}.sqlite.gz`)), { mode: 0o600 });
  await cp(`${folder}sqlite-3.attachments`, `${path}.attachments`, { recursive: true });
}

/** Fills an empty MongoDB database with the store of layout 2. */
export const placeMongo2 = (url: string): Promise<void> => placeMongo(url, 2);

/** The same with the store of layout 3. */
export const placeMongo3 = (url: string): Promise<void> => placeMongo(url, 3);

async function placeMongo(url: string, layout: number): Promise<void> {
  const client = new MongoClient(url);
  try {
    for (const line of (await readFile(`${folder}mongo-${layout}.ndjson`, 'utf8')).trimEnd().split('\n')) {
      const { collection, document } = BSON.EJSON.parse(line) as { collection: string; document: BSON.Document };
      await client.db().collection(collection).insertOne(document);
    }
  } finally {
    await client.close();
  }
}
