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
