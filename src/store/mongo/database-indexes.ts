import type { IndexDescription } from 'mongodb';
import type { DatabaseIndex } from '../port/indexes.ts';
import { fewAtOnce } from '../record/few-at-once.ts';
import { attachingTypes } from './attachment-records.ts';
import { attachedIndex, indexesOf } from './collection-indexes.ts';
import { typesKept } from './collections.ts';
import type { Core } from './core.ts';
import { isCode } from './failures.ts';

/** Collections that are read concurrently: all of R4 take less than a second then, also with a latency of 50 ms. */
export const atOnce = 20;

/**
 * The indexes of resource collections that differ from the definitions: missing, being built, or unused. Indexes with
 * other names are not managed here.
 */
export async function indexesOfDatabase(core: Core): Promise<readonly DatabaseIndex[]> {
  const attaching = new Set(await attachingTypes(core));
  const types = await typesKept(core.database);
  const wanted = types.flatMap(type => indexesOf(core, type, attaching.has(type)));
  return (await fewAtOnce(wanted, atOnce, ([collection, indexes]) => compare(core, collection, indexes))).flat();
}

/** Drops those that the definitions no longer need. */
export async function dropUnused(core: Core): Promise<readonly DatabaseIndex[]> {
  const found = await indexesOfDatabase(core);
  for (const { collection, name, state } of found)
    if (state === 'unused') await core.database.collection(collection).dropIndex(name);
  return found;
}

async function compare(
  core: Core,
  collection: string,
  wanted: readonly IndexDescription[],
): Promise<readonly DatabaseIndex[]> {
  const kept = await listIndexes(core, collection);
  const names = new Set(wanted.map(({ name }) => name));
  const lacking = wanted.flatMap(({ name = '' }): DatabaseIndex[] => {
    const index = kept.find(one => one.name === name);
    if (index !== undefined && !index.building) return [];
    return [{ collection, name, state: index === undefined ? 'missing' : 'building' }];
  });
  const unused = kept
    .filter(({ name }) => isOurs(name) && !names.has(name))
    .map(({ name }) => ({ collection, name, state: 'unused' }) as const);
  return [...lacking, ...unused];
}

/** The names of `indexesOf`, whatever the definitions. */
function isOurs(name: string): boolean {
  return name === attachedIndex.name || /^(t|t_.+|o|s|d|n|h)(_shard)?$/.test(name);
}

/** https://www.mongodb.com/docs/manual/reference/command/listIndexes/ */
async function listIndexes(
  { database }: Core,
  collection: string,
): Promise<readonly { readonly name: string; readonly building: boolean }[]> {
  const found = await database
    .runCursorCommand({ listIndexes: collection, includeIndexBuildInfo: true })
    .toArray()
    .catch((error: unknown) => {
      if (isCode(error, namespaceNotFound)) return [];
      throw error;
    });
  return found.map(({ spec, indexBuildInfo }) => ({ name: String(spec.name), building: indexBuildInfo !== undefined }));
}

const namespaceNotFound = 26;
