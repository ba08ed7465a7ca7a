import type { DocumentStore } from '../port/documents.ts';
import type { Store } from '../port/store.ts';

const collection = 'server';
const key = 'public-url';

/** The public URL of the server that last used a store; undefined if none has yet. */
export async function keptPublicUrl(store: Store): Promise<string | undefined> {
  return (await store.documents(collection).get(key)) as string | undefined; // only keepPublicUrl writes it
}

/** Stores the public URL of a server in its store, so that commands use the same URLs. */
export async function keepPublicUrl(store: Store, publicUrl: string): Promise<void> {
  if ((await keptPublicUrl(store)) !== publicUrl) await store.documents(collection).put(key, publicUrl);
}

/** Display names of partitions, by id, for pages. They are copied with a store. */
const namesIn = (store: Pick<Store, 'documents'>): DocumentStore => store.documents('partition-names');

/** The display name of a partition; its id if it has none. */
export async function partitionName(store: Pick<Store, 'documents'>, id: string): Promise<string> {
  return ((await namesIn(store).get(id)) as string | undefined) ?? id; // only the next function writes it
}

/** Sets the display name of a partition; undefined removes it. */
export async function namePartition(
  store: Pick<Store, 'documents'>,
  id: string,
  name: string | undefined,
): Promise<void> {
  await (name === undefined ? namesIn(store).delete(id) : namesIn(store).put(id, name));
}
