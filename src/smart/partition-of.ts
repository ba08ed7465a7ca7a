import type { Store } from '../store/port/store.ts';

/** Id of the partition with exactly this base URL; undefined if there is none. */
export async function partitionOf(
  audience: string,
  { store, publicUrl }: { readonly store: Pick<Store, 'partition'>; readonly publicUrl: string },
): Promise<string | undefined> {
  const above = `${publicUrl}/r4/`;
  const id = audience.startsWith(above) ? audience.slice(above.length) : '';
  return /^[a-z0-9-]{1,32}$/.test(id) ? (await store.partition(id))?.id : undefined;
}

/** The values of `aud` and its synonym `resource`, each once; a trailing slash is ignored. */
export const audiencesOf = (values: readonly string[]): readonly string[] => [
  ...new Set(values.map(value => value.replace(/\/$/, ''))),
];
