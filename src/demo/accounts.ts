import { hashPassword } from '../smart/accounts/password.ts';
import { clientCollection, userCollection } from '../smart/accounts/registry.ts';
import type { StoredClient, StoredUser } from '../smart/accounts/registry.ts';
import { supportedScopes } from '../auth/scope-words.ts';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/port/store.ts';
import { demoApp, demoBackend, demoClients, demoLaunchUrls, demoRedirectUris, demoUsers } from './clients.ts';
import { makeBackendKey } from './files.ts';
import type { DemoFiles } from './files.ts';
import { demoPartition } from './fill.ts';

/**
 * Registers the clients and users of the demonstration in its store, in this version's form; existing users stay
 * unchanged. Generates the private key of the backend if there is none.
 */
export async function registerDemo(
  { store, model }: { readonly store: Store; readonly model: Model },
  files: DemoFiles,
  now: number,
): Promise<void> {
  const clients = store.documents(clientCollection);
  const scopes = supportedScopes(model);
  for (const { id, name } of demoClients) {
    const kept = (await clients.get(id)) as StoredClient | undefined; // only this program writes it
    if (kept !== undefined && kept.demo !== true) continue; // not of the demonstration
    const isBackend = id === demoBackend;
    const client: StoredClient = {
      id,
      name,
      kind: isBackend ? 'asymmetric' : 'public',
      flows: [isBackend ? 'backend' : 'app'],
      redirectUris: id === demoApp ? demoRedirectUris : [],
      launchUrls: id === demoApp ? demoLaunchUrls : [],
      origins: [],
      scopes: scopes.filter(scope => scope.startsWith('system/') === isBackend),
      partitions: [demoPartition],
      secrets: [],
      jwks: isBackend ? { keys: [makeBackendKey(files)] } : undefined,
      jwksUrl: undefined,
      registered: kept?.registered ?? now,
      demo: true,
    };
    if (JSON.stringify(kept) !== JSON.stringify(client)) await clients.put(id, client);
  }
  const users = store.documents(userCollection);
  for (const { id, name, password, fhirUser } of demoUsers) {
    if ((await users.get(id)) !== undefined) continue;
    const partitions = [{ id: demoPartition, fhirUser }];
    const hash = await hashPassword(password);
    const user: StoredUser = { id, name, password: hash, partitions, registered: now, demo: true };
    await users.put(id, user, { ifAbsent: true });
  }
}

/** Ids of the demonstration's clients and users in a store. */
export async function demoAccountsIn(store: Pick<Store, 'documents'>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [collection, ids] of [
    [clientCollection, demoClients.map(({ id }) => id)],
    [userCollection, demoUsers.map(({ id }) => id)],
  ] as const) {
    for (const id of ids) {
      const kept = (await store.documents(collection).get(id)) as { demo?: true } | undefined; // as above
      if (kept?.demo === true) found.push(id);
    }
  }
  return found;
}
