import type { Document, FindCursor, FindOptions, ReadPreference } from 'mongodb';
import type { Position } from '../../search/ast.ts';
import { isFull, mostPageText } from '../port/pages.ts';
import { type Core, resources, type Step } from './core.ts';
import { traceCommand } from './explain.ts';
import { isCode } from './failures.ts';
import type { ResourceDocument } from './layout.ts';
import type { Place, Plan } from './plan.ts';

/** The read preference and the session of a read. */
export interface Reading extends Step {
  readonly readPreference?: ReadPreference;
}

/** For reads that may be slightly outdated: by the read preference of the URL, primary by default. */
export function asTheUrlSays({ client }: Core): Reading {
  return { readPreference: client.readPreference };
}

/** The documents of a plan. Throws the driver's error with code 50 if the server exceeds the deadline. */
export function findDocuments<T extends Document>(
  place: Place,
  { filter, hint }: Plan,
  { limit, ...options }: FindOptions & { readonly limit: number },
  reading: Reading,
): Promise<T[]> {
  const { core, type } = place;
  const maxTimeMS = core.options.deadline;
  // One batch, so that one request suffices.
  const given = { ...options, ...reading, limit, batchSize: limit, maxTimeMS };
  return withHint(hint, reading, async hinted => {
    const cursor = (): FindCursor<T> => resources(core, type.name).find<T>(filter, { ...given, ...hinted });
    if (place.trace !== undefined) {
      const { projection, sort } = options;
      const command = { find: type.name, filter, projection, sort, limit, ...hinted };
      await traceCommand(place, command, () => cursor().explain('executionStats'));
    }
    return limit > readAtOnce ? untilFull(cursor()) : cursor().toArray();
  });
}

/** Matches that are sorted rather than searched in their order. */
const fewToSort = 5_000;

/** Documents of the order that are examined for each that is wanted. */
const examinedForEach = 20;

/**
 * The documents of a plan whose matches the server would sort, if they are many: they are then frequent, and the first
 * documents of the order have enough of them. Undefined if they do not, or if the matches are few.
 */
export async function findFrequent<T extends Document>(
  place: Place,
  { filter, hint, order }: Plan,
  { limit, sort, projection }: FindOptions & { readonly limit: number },
  reading: Reading,
): Promise<T[] | undefined> {
  if (order === undefined || hint === undefined || sort === undefined) return undefined;
  const { core, type } = place;
  const options = { ...reading, hint, maxTimeMS: core.options.deadline };
  const stages = [
    { $match: order },
    { $sort: sort },
    { $limit: limit * examinedForEach },
    { $match: filter },
    { $limit: limit },
    { $project: projection },
  ];
  try {
    const all = resources(core, type.name);
    if ((await all.countDocuments(filter, { ...options, limit: fewToSort })) < fewToSort) return undefined;
    await traceCommand(place, { aggregate: type.name, pipeline: stages, hint }, () =>
      all.aggregate(stages, options).explain('executionStats'),
    );
    const found = await untilFull(all.aggregate<T>(stages, { ...options, batchSize: Math.min(limit, readAtOnce) }));
    return isFull(found, limit) ? found : undefined;
  } catch (error) {
    if (isMissingIndex(error)) return undefined;
    throw error;
  }
}

/** Documents that are read at once: their texts are bounded by those of so many records. */
const readAtOnce = 64;

/** The documents of a cursor, up to one beyond those that fit on a page. */
async function untilFull<T extends { readonly text?: string }>(cursor: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  let characters = 0;
  for await (const document of cursor) {
    found.push(document);
    characters += document.text?.length ?? 0;
    if (characters > mostPageText) break; // closes the cursor
  }
  return found;
}

/** Retries without the hint if there is no such index (yet): the result is the same, but slower. */
export async function withHint<T>(
  hint: string | undefined,
  { session }: Reading,
  work: (options: { hint?: string }) => Promise<T>,
): Promise<T> {
  // In a transaction nothing can be retried, since an error ends it: there the server chooses.
  if (hint === undefined || session !== undefined) return work({});
  try {
    return await work({ hint });
  } catch (error) {
    if (!isMissingIndex(error)) throw error;
    return work({});
  }
}

function isMissingIndex(error: unknown): boolean {
  return isCode(error, badValue) && error instanceof Error && error.message.includes('hint');
}

const badValue = 2;

/** The fields of a document for a page. */
export type FoundDocument = Pick<ResourceDocument, '_id' | 'version' | 'updated' | 'text' | 'owners' | 'o'>;

/** The requested page of a search: so many documents after a position, with these fields. */
export interface RequestedPage {
  readonly limit: number;
  readonly after: Position | undefined;
  readonly projection: Readonly<Record<string, 1>>;
}
