import { unwatchFile, watchFile } from 'node:fs';
import type { Store } from '../../store/store.ts';
import { digestOf } from '../token/digest.ts';
import { revocationCollection, revoke } from '../token/revocations.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';

/** Clients and users, as a file lists them. */
export interface Accounts {
  readonly clients: readonly RegisteredClient[];
  readonly users: readonly RegisteredUser[];
}

export interface AccountsFile {
  /** As the file was when it could last be read. */
  current(): Accounts;
  /** Reads it again; what is wrong is told, and then the former one stays. */
  reload(): Promise<void>;
  close(): void;
}

interface Parts {
  readonly store: Pick<Store, 'documents'>;
  readonly path: string;
  /** Reads and checks the file; throws Error with all that is wrong. */
  readonly read: () => Promise<Accounts>;
  readonly now: () => number;
  readonly notice: (text: string) => void;
  /** How often the file is looked at, in milliseconds. */
  readonly interval?: number;
}

/**
 * Reads the file of clients and users, and again on SIGHUP and when it changes. Tokens and sessions end of those who are not in it any
 * more, and of users with another password. Throws Error with all that is wrong, the first time.
 */
export async function openAccountsFile(parts: Parts): Promise<AccountsFile> {
  const { store, path, read, now, notice, interval = 2_000 } = parts;
  let accounts = await read();
  await endFormer(store, path, accounts, now());
  let reading = Promise.resolve();

  const readAgain = async (): Promise<void> => {
    try {
      const next = await read();
      await endFormer(store, path, next, now());
      accounts = next;
      const { clients, users } = accounts;
      notice(`The accounts in ${path} were read again: ${clients.length} clients, ${users.length} users.`);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notice(`The accounts in ${path} could not be read again; the former ones stay: ${why}`);
    }
  };
  const reload = (): Promise<void> => (reading = reading.then(readAgain)); // one after the other: it never rejects
  const look = (): void => void reload();
  watchFile(path, { interval, persistent: false }, look);
  process.on('SIGHUP', look);
  return {
    current: () => accounts,
    reload,
    close() {
      unwatchFile(path, look);
      process.off('SIGHUP', look);
    },
  };
}

/** Who stood in the file when it was last read, by any process: users with the digest of what their password is kept as. */
interface Former {
  readonly clients: readonly string[];
  readonly users: Readonly<Record<string, string>>;
}

async function endFormer(
  store: Parts['store'],
  path: string,
  { clients, users }: Accounts,
  now: number,
): Promise<void> {
  const files = store.documents('accounts-files');
  const revocations = store.documents(revocationCollection);
  const former = (await files.get(digestOf(path))) as Former | undefined; // written here alone
  const present: Former = {
    clients: clients.map(({ id }) => id),
    users: Object.fromEntries(users.map(({ id, password }) => [id, digestOf(password)])),
  };
  if (JSON.stringify(former) === JSON.stringify(present)) return;
  for (const id of former?.clients ?? [])
    if (!present.clients.includes(id)) await revoke(revocations, 'client', id, now);
  for (const [id, password] of Object.entries(former?.users ?? {}))
    if (present.users[id] !== password) await revoke(revocations, 'user', id, now);
  await files.put(digestOf(path), present);
}
