import type { Store } from '../store/store.ts';
import { remember } from '../auth/token/remember.ts';
import type { Accounts } from './accounts-file.ts';
import type { RegisteredClient, RegisteredUser, Registry } from './registered.ts';

/** A client as the store keeps it, under its id. */
export interface StoredClient extends Omit<RegisteredClient, 'secretDigests'> {
  /** A secret that the next one has replaced is good until a time, in milliseconds since 1970 UTC. */
  readonly secrets: readonly { readonly digest: string; readonly until?: number | undefined }[];
  /** Of the demonstration, so that everybody may know its keys. */
  readonly demo?: true | undefined;
}

/** A user as the store keeps it, under its id. */
export interface StoredUser extends RegisteredUser {
  /** Of the demonstration, so that everybody may know the password. */
  readonly demo?: true | undefined;
}

/** Where clients are kept: `store.documents(clientCollection)`. */
export const clientCollection = 'clients';

/** Where users are kept: `store.documents(userCollection)`. */
export const userCollection = 'users';

/** How long the origins of all clients are remembered, in milliseconds. */
const longestRemembered = 5_000;

/**
 * Clients and users of the store, and of a file, which counts where both have one of the same id. `file` gives what the file
 * holds now; `now` is in milliseconds since 1970 UTC. What it throws is what the store throws.
 */
export function createRegistry(
  store: Pick<Store, 'documents'>,
  file: { current(): Accounts } | undefined,
  now: () => number,
): Registry {
  const kept = store.documents(clientCollection);
  const people = store.documents(userCollection);
  const inFile = (): Accounts => file?.current() ?? { clients: [], users: [] };

  const clients = async (): Promise<readonly RegisteredClient[]> => {
    const found = new Map<string, RegisteredClient>();
    for await (const { key, value } of kept.list()) found.set(key, clientOf(value, now()));
    for (const client of inFile().clients) found.set(client.id, client);
    return sorted([...found.values()]);
  };
  const users = async (): Promise<readonly RegisteredUser[]> => {
    const found = new Map<string, RegisteredUser>();
    for await (const { key, value } of people.list()) found.set(key, userOf(value));
    for (const user of inFile().users) found.set(user.id, user);
    return sorted([...found.values()]);
  };
  return {
    async client(id) {
      const value = inFile().clients.find(client => client.id === id) ?? (await kept.get(id));
      return value === undefined ? undefined : isFromFile(value) ? value : clientOf(value, now());
    },
    async user(id) {
      const listed = inFile().users.find(user => user.id === id);
      if (listed !== undefined) return listed;
      const value = await people.get(id);
      return value === undefined ? undefined : userOf(value);
    },
    clients,
    users,
    origins: remember(async () => new Set((await clients()).flatMap(originsOf)), remembered, now),
  };
}

const remembered = { keep: longestRemembered, keepFailure: 0 };

/** The client as it counts at a time: without the secrets that are over. */
export function clientOf(value: unknown, now: number): RegisteredClient {
  const { secrets, demo: _, ...client } = value as StoredClient; // only this program writes the collection
  const alive = secrets.filter(({ until = Infinity }) => until > now);
  return { ...client, secretDigests: alive.map(({ digest }) => digest) };
}

function userOf(value: unknown): RegisteredUser {
  const { demo: _, ...user } = value as StoredUser; // only this program writes the collection
  return user;
}

const isFromFile = (value: unknown): value is RegisteredClient =>
  typeof value === 'object' && value !== null && 'secretDigests' in value;

/** Web origins of its redirect URIs, and those that are named; those of apps on a device have none. */
function originsOf({ redirectUris, origins }: RegisteredClient): readonly string[] {
  const own = redirectUris.filter(uri => /^https?:/.test(uri)).map(uri => new URL(uri).origin);
  return [...own, ...origins];
}

const sorted = <T extends { readonly id: string }>(entries: T[]): readonly T[] =>
  entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
