import { randomBytes } from 'node:crypto';
import { createSealing } from './sealing.ts';
import type { Sealing } from './sealing.ts';
import type { DocumentStore } from '../store/port/documents.ts';

/** The documents with the keys. */
export type KeyDocuments = Pick<DocumentStore, 'get' | 'put'>;

/** The current keys of page tokens. */
export interface PageKeys {
  /** Seals with the key of new tokens. Throws Error if `refresh` was not called before. */
  seal(text: string): string;
  /** The text of a token whose key exists and has not expired; undefined for any other text. */
  open(token: string): string | undefined;
  /** Creates or reads missing keys; undefined if none is missing. Throws the errors of the documents. */
  refresh(): Promise<void> | undefined;
}

/** Length of a key's name, which is at the beginning of each token, in bytes. */
const NAME = 4;

/** How long a key is used for new tokens, and how long its tokens are valid after that, in milliseconds. */
const period = 30 * 24 * 60 * 60 * 1000;
const grace = 24 * 60 * 60 * 1000;
/** How early a key is created, so that every process has it before its first token; clocks differ by less. */
const ahead = 60 * 60 * 1000;

/**
 * One key for each 30 days since 1970, in its own document: the first process creates it, all others read it, and it is
 * never changed, so that processes need no coordination. `now` returns milliseconds since 1970 UTC.
 */
export async function createPageKeys(documents: KeyDocuments, now: () => number): Promise<PageKeys> {
  const keys = new Map<number, Sealing>();
  let reading: Promise<void> | undefined;

  /** The periods whose keys are needed: of valid tokens, of new ones, and of the near future. */
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
    seal(text) {
      const key = keys.get(periodOf(now()));
      if (key === undefined) throw new Error('The keys of page tokens were not refreshed');
      return key.seal(text);
    },
    open(token) {
      const last = periodOf(now() - grace);
      for (const [number, key] of keys) {
        const text = number >= last ? key.open(token) : undefined;
        if (text !== undefined) return text;
      }
      return undefined;
    },
  };
}

const periodOf = (time: number): number => Math.floor(time / period);

async function keyOf(documents: KeyDocuments, number: number): Promise<Sealing> {
  const document = `page-tokens-${number}`;
  const there = await documents.get(document);
  if (there !== undefined) return readKey(there);
  const made = { name: randomBytes(NAME).toString('hex'), secret: randomBytes(32).toString('hex') };
  return readKey(await documents.put(document, made, { expires: (number + 1) * period + grace, ifAbsent: true }));
}

/** The content that this module wrote; anything else means that the store is damaged. */
function readKey(document: unknown): Sealing {
  const { name, secret } = (document ?? {}) as { name?: unknown; secret?: unknown };
  if (typeof name === 'string' && typeof secret === 'string')
    return createSealing(Buffer.from(name, 'hex'), Buffer.from(secret, 'hex'));
  throw new Error('A key of page tokens in the store cannot be read');
}
