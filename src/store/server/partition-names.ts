import type { DocumentStore } from '../port/documents.ts';
import type { Store } from '../port/store.ts';

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
