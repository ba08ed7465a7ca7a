import type { Store } from '../../store/port/store.ts';
import { remember } from '../../auth/token/remember.ts';
import type { Accounts } from './accounts-file.ts';
import type { RegisteredClient, RegisteredUser, Registry } from './registered.ts';

/** A client as the store has it, under its id. */
export interface StoredClient extends Omit<RegisteredClient, 'secretDigests'> {
  /** A secret that was replaced is valid until a time, in milliseconds since 1970 UTC. */
  readonly secrets: readonly { readonly digest: string; readonly until?: number | undefined }[];
  /** A client of the demonstration, whose keys are public. */
  readonly demo?: true | undefined;
}

/** A user as the store has it, under its id. */
export interface StoredUser extends RegisteredUser {
  /** A user of the demonstration, whose password is public. */
  readonly demo?: true | undefined;
}

/** The collection of clients: `store.documents(clientCollection)`. */
export const clientCollection = 'clients';

/** The collection of users: `store.documents(userCollection)`. */
export const userCollection = 'users';

/** How long what depends on all clients is cached, in milliseconds. */
const longestRemembered = 5_000;

/**
 * Clients and users of the store, and of a file, which wins if both define an id. `file` returns the current content of
 * the file; `now` is in milliseconds since 1970 UTC; `own` returns a client of the server itself, for which neither has
 * an entry. Throws the errors of the store.
 */
export function createRegistry(
  store: Pick<Store, 'documents'>,
  file: { current(): Accounts } | undefined,
  now: () => number,
  own?: () => Promise<RegisteredClient>,
): Registry {
  const kept = store.documents(clientCollection);
  const people = store.documents(userCollection);
  const inFile = (): Accounts => file?.current() ?? { clients: [], users: [] };

  const clients = async (): Promise<readonly RegisteredClient[]> => {
    const found = new Map<string, RegisteredClient>();
    if (own !== undefined) found.set((await own()).id, await own());
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
      if (value !== undefined) return isFromFile(value) ? value : clientOf(value, now());
      const ours = await own?.();
      return ours?.id === id ? ours : undefined;
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
    sendsIss: remember(async () => (await clients()).every(one => one.responseIss !== false), remembered, now),
  };
}

const remembered = { keep: longestRemembered, keepFailure: 0 };

/** The client at a time: without expired secrets. */
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

/** Web origins of its redirect URIs, and the registered ones; apps on a device have none. */
function originsOf({ redirectUris, origins }: RegisteredClient): readonly string[] {
  const own = redirectUris.filter(uri => /^https?:/.test(uri)).map(uri => new URL(uri).origin);
  return [...own, ...origins];
}

const sorted = <T extends { readonly id: string }>(entries: T[]): readonly T[] =>
  entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
