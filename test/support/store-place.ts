import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a test keeps its records. */
export interface Place {
  /** As `--store` takes it. */
  readonly url: string;
  remove(): Promise<void>;
}

/** Whether the tests of the served interface run on MongoDB; two processes answer them then. */
export const onMongodb = process.env['CRS_TEST_STORE'] === 'mongodb';

/** A file of its own, or a database of its own on the server that `CRS_TEST_MONGODB` names. */
export async function newStorePlace(): Promise<Place> {
  if (onMongodb) return (await import('./mongodb/place.ts')).newMongoPlace();
  const folder = await mkdtemp(join(tmpdir(), 'crs-store-'));
  return {
    url: `sqlite:${join(folder, 'records.sqlite')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
