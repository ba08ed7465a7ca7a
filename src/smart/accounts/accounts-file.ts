import { unwatchFile, watchFile } from 'node:fs';
import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { revocationCollection, revoke } from '../../auth/token/revocations.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';
import { counted } from '../../observability/counted.ts';

/** The clients and users that a file lists. */
export interface Accounts {
  readonly clients: readonly RegisteredClient[];
  readonly users: readonly RegisteredUser[];
}

export interface AccountsFile {
  /** The content of the file when it was last read successfully. */
  current(): Accounts;
  /** Reads the file again. Problems are logged, and the former content stays in use. Never rejects. */
  reload(): Promise<void>;
  close(): void;
}

interface AccountsFileParts {
  readonly store: Pick<Store, 'documents'>;
  readonly path: string;
  /** Reads and checks the file; throws Error with all problems. */
  readonly read: () => Promise<Accounts>;
  readonly now: () => number;
  readonly notice: (text: string) => void;
  /** Reports that the file could not be reloaded. */
  readonly refused: (text: string) => void;
  /** Polling interval of the file in milliseconds. */
  readonly interval?: number;
}

/**
 * Reads the file of clients and users, and again when it changes. Tokens and sessions are revoked for accounts that are
 * no longer in the file, for users with another password, other partitions or another resource, and for clients with
 * fewer rights. Throws Error with all problems at the first reading.
 */
export async function openAccountsFile(parts: AccountsFileParts): Promise<AccountsFile> {
  const { store, path, read, now, notice, refused, interval = 2_000 } = parts;
  let accounts = await read();
  await endFormer(store, path, undefined, accounts, now());
  let reading = Promise.resolve();

  const readAgain = async (): Promise<void> => {
    try {
      const [former, next] = [accounts, await read()];
      accounts = next; // assigned before the revocations, so that no token is issued after them to a removed account
      await endFormer(store, path, former, next, now());
      const { clients, users } = next;
      notice(
        `The accounts in ${path} were reloaded: ${counted(clients.length, 'client')}, ` +
          `${counted(users.length, 'user')}.`,
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const { clients, users } = accounts;
      refused(
        `The accounts in ${path} could not be reloaded; the former ones stay valid ` +
          `(${named(clients, 'client')}; ${named(users, 'user')}): ${why}`,
      );
    }
  };
  const reload = (): Promise<void> => (reading = reading.then(readAgain)); // one at a time; it never rejects
  const look = (): void => void reload();
  watchFile(path, { interval, persistent: false }, look);
  return {
    current: () => accounts,
    reload,
    close: () => unwatchFile(path, look),
  };
}

/** The number of accounts and their ids, 20 at most: `2 clients: a, b`. */
function named(accounts: readonly { readonly id: string }[], what: string): string {
  const ids = accounts.slice(0, mostNamed).map(({ id }) => id);
  const more = accounts.length > mostNamed ? ', ...' : '';
  return `${counted(accounts.length, what)}${ids.length > 0 ? `: ${ids.join(', ')}${more}` : ''}`;
}

const mostNamed = 20;

/** The accounts of the file, with the properties on which tokens depend. */
interface Known {
  readonly clients: Readonly<Record<string, readonly string[]>>;
  /** Digests of those properties. */
  readonly users: Readonly<Record<string, string>>;
}

/**
 * Revokes the tokens of accounts of `former` that lost rights, and of accounts in the file when any process last read
 * it: another process may have issued tokens until it read the file too.
 */
async function endFormer(
  store: AccountsFileParts['store'],
  path: string,
  former: Accounts | undefined,
  accounts: Accounts,
  now: number,
): Promise<void> {
  const files = store.documents('accounts-files');
  const revocations = store.documents(revocationCollection);
  const kept = (await files.get(digestOf(path))) as Known | undefined; // only this function writes it
  const present = knownOf(accounts);
  const [clients, users] = [new Set<string>(), new Set<string>()];
  for (const known of [kept, former && knownOf(former)]) {
    for (const [id, things] of Object.entries(known?.clients ?? {}))
      if (!things.every(thing => present.clients[id]?.includes(thing))) clients.add(id);
    for (const [id, digest] of Object.entries(known?.users ?? {})) if (present.users[id] !== digest) users.add(id);
  }
  for (const id of clients) await revoke(revocations, 'client', id, now);
  for (const id of users) await revoke(revocations, 'user', id, now);
  if (JSON.stringify(kept) !== JSON.stringify(present)) await files.put(digestOf(path), present);
}

/** What tokens of a client depend on. */
const rightsOf = ({ flows, scopes, partitions }: Rights): readonly string[] => [...flows, ...scopes, ...partitions];

type Rights = Pick<RegisteredClient, 'flows' | 'scopes' | 'partitions'>;

/** Whether a client has lost rights, so that its tokens end. */
export const lostRights = (former: Rights, next: Rights): boolean =>
  !rightsOf(former).every(right => rightsOf(next).includes(right));

const knownOf = ({ clients, users }: Accounts): Known => ({
  clients: Object.fromEntries(clients.map(client => [client.id, ['registered', ...rightsOf(client)]])),
  users: Object.fromEntries(
    users.map(({ id, password, partitions }) => [id, digestOf(JSON.stringify([password, partitions]))]),
  ),
});
