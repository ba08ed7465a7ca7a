import type { Document, FindOptions, ReadPreference } from 'mongodb';
import { type Core, resources, type Step } from './core.ts';
import { isCode } from './failures.ts';
import type { Place, Plan } from './plan.ts';

/** Where and within what is read. */
export interface Reading extends Step {
  readonly readPreference?: ReadPreference;
}

/** For what may be a little old: reads from where the URL says, which is the primary unless it says otherwise. */
export function asTheUrlSays({ client }: Core): Reading {
  return { readPreference: client.readPreference };
}

/** The documents that a plan finds. Throws the driver's error with code 50 where the server takes longer than the deadline. */
export function findDocuments<T extends Document>(
  { core, type }: Place,
  { filter, hint }: Plan,
  { limit, ...options }: FindOptions & { readonly limit: number },
  reading: Reading,
): Promise<T[]> {
  const maxTimeMS = core.options.deadline;
  // One batch, so that one question is all.
  const given = { ...options, ...reading, limit, batchSize: limit, maxTimeMS };
  return withHint(hint, reading, hinted =>
    resources(core, type.name)
      .find<T>(filter, { ...given, ...hinted })
      .toArray(),
  );
}

/** Does without the hint where there is no such index (yet): the answer is the same, and comes later. */
export async function withHint<T>(
  hint: string | undefined,
  { session }: Reading,
  work: (options: { hint?: string }) => Promise<T>,
): Promise<T> {
  // In a transaction nothing can be tried again, since an error ends it: there the server chooses.
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
