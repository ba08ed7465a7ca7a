import { randomBytes } from 'node:crypto';
import { createSealing } from './sealing.ts';
import type { Sealing } from './sealing.ts';

/** A key of page tokens. */
export interface PageKey {
  /** Hex, at the head of each token. */
  readonly name: string;
  readonly sealing: Sealing;
}

/** The documents that keys are kept in; `DocumentStore` of the store is one. */
export interface KeyDocuments {
  get(key: string): Promise<unknown>;
  /** `expires` in milliseconds since 1970 UTC. */
  putIfAbsent(key: string, value: unknown, expires?: number): Promise<unknown>;
}

/** The keys of page tokens that are good now. */
export interface PageKeys {
  /** For new tokens. Throws Error where `refresh` was not called before. */
  current(): PageKey;
  /** By name; undefined where there is none that is still good. */
  find(name: string): PageKey | undefined;
  /** Makes or reads the keys that are missing; undefined where none is. Throws what the documents throw. */
  refresh(): Promise<void> | undefined;
}

/** Length of a key's name, in bytes. */
export const NAME = 4;

/** How long a key is for new tokens, and how long after that its tokens are good, in milliseconds. */
const period = 30 * 24 * 60 * 60 * 1000;
const grace = 24 * 60 * 60 * 1000;
/** How long before its time a key is made, so that every process has it when the first token comes; clocks differ by less. */
const ahead = 60 * 60 * 1000;

/**
 * One key for each 30 days since 1970, in a document of its own: whoever comes first makes it, all others find it there, and
 * nothing is ever changed, so that processes need not agree on anything. `now` gives milliseconds since 1970 UTC.
 */
export async function createPageKeys(documents: KeyDocuments, now: () => number): Promise<PageKeys> {
  const keys = new Map<number, PageKey>();
  let reading: Promise<void> | undefined;

  /** The periods whose keys are needed: of tokens that are still good, of new ones, and of those that come soon. */
  const needed = (): ReadonlySet<number> => new Set([now() - grace, now(), now() + ahead].map(periodOf));

  const read = async (): Promise<void> => {
    const wanted = needed();
    for (const number of keys.keys()) if (!wanted.has(number)) keys.delete(number);
    for (const number of wanted) if (!keys.has(number)) keys.set(number, await keyOf(documents, number));
  };

  const has = (time: number): boolean => keys.has(periodOf(time));

  const refresh = (): Promise<void> | undefined => {
    const time = now();
    if (has(time) && has(time - grace) && has(time + ahead)) return undefined;
    return (reading ??= read().finally(() => {
      reading = undefined;
    }));
  };

  await refresh();
  return {
    refresh,
    current() {
      const key = keys.get(periodOf(now()));
      if (key === undefined) throw new Error('The keys of page tokens were not refreshed');
      return key;
    },
    find(name) {
      const last = periodOf(now() - grace);
      for (const [number, key] of keys) if (number >= last && key.name === name) return key;
      return undefined;
    },
  };
}

const periodOf = (time: number): number => Math.floor(time / period);

async function keyOf(documents: KeyDocuments, number: number): Promise<PageKey> {
  const document = `page-tokens-${number}`;
  const there = await documents.get(document);
  if (there !== undefined) return readKey(there);
  const made = { name: randomBytes(NAME).toString('hex'), secret: randomBytes(32).toString('hex') };
  return readKey(await documents.putIfAbsent(document, made, (number + 1) * period + grace));
}

/** What this file wrote; anything else means that the store is damaged. */
function readKey(document: unknown): PageKey {
  const { name, secret } = (document ?? {}) as { name?: unknown; secret?: unknown };
  if (typeof name === 'string' && typeof secret === 'string')
    return { name, sealing: createSealing(Buffer.from(name, 'hex'), Buffer.from(secret, 'hex')) };
  throw new Error('A key of page tokens in the store cannot be read');
}
