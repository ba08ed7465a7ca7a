import type { Store } from '../store/store.ts';

/** Id of the partition whose base URL this is, exactly; undefined where it is none that is there. */
export async function partitionOf(
  audience: string,
  { store, publicUrl }: { readonly store: Pick<Store, 'partition'>; readonly publicUrl: string },
): Promise<string | undefined> {
  const above = `${publicUrl}/r4/`;
  const id = audience.startsWith(above) ? audience.slice(above.length) : '';
  return /^[a-z0-9-]{1,32}$/.test(id) ? (await store.partition(id))?.id : undefined;
}

/** What `aud` and its synonym `resource` name, each once; a slash at the end is borne. */
export const audiencesOf = (values: readonly string[]): readonly string[] => [
  ...new Set(values.map(value => value.replace(/\/$/, ''))),
];
