import { createHash } from 'node:crypto';
import type { StoreDefinitions } from '../port/definitions.ts';

/**
 * The digest of the definitions that determine index entries, with the version of the form that these have in the
 * store: all processes that write one store must agree on it.
 */
export const digestWithVersion =
  (...version: readonly number[]) =>
  ({ digest }: Pick<StoreDefinitions['model'], 'digest'>): string =>
    `${version.join('.')}:${digest}`;

/** The digest of the model in what `digestWithVersion` returns; undefined if no definitions are registered. */
export function modelDigest(registered: string | undefined): string | undefined {
  const digest = registered?.slice(registered.indexOf(':') + 1);
  return digest === '' ? undefined : digest;
}

/** A digest of what determines the entries of an index. */
export const indexDigest = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
