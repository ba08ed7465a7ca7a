import { unwatchFile, watchFile } from 'node:fs';
import type { Store } from '../store/store.ts';
import { digestOf } from '../auth/token/digest.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';
import { counted } from '../observability/counted.ts';

/** Clients and users, as a file lists them. */
export interface Accounts {
  readonly clients: readonly RegisteredClient[];
  readonly users: readonly RegisteredUser[];
}

export interface AccountsFile {
  /** As the file was when it could last be read. */
  current(): Accounts;
  /** Reads it again; what is wrong is told, and then the former one stays. Never rejects. */
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
 * Reads the file of clients and users, and again when it changes. Tokens and sessions end of those who are not in it any
 * more, of users with another password, other partitions or another resource there, and of clients that may do less. Throws Error with all that is wrong, the first time.
 */
export async function openAccountsFile(parts: Parts): Promise<AccountsFile> {
  const { store, path, read, now, notice, interval = 2_000 } = parts;
  let accounts = await read();
  await endFormer(store, path, undefined, accounts, now());
  let reading = Promise.resolve();

  const readAgain = async (): Promise<void> => {
    try {
      const [former, next] = [accounts, await read()];
      accounts = next; // before anything ends, so that nothing is issued behind it to who is not there any more
      await endFormer(store, path, former, next, now());
      const { clients, users } = next;
      notice(
        `The accounts in ${path} were read again: ${counted(clients.length, 'client')}, ${counted(users.length, 'user')}.`,
      );
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      notice(`The accounts in ${path} could not be read again; the former ones stay: ${why}`);
    }
  };
  const reload = (): Promise<void> => (reading = reading.then(readAgain)); // one after the other: it never rejects
  const look = (): void => void reload();
  watchFile(path, { interval, persistent: false }, look);
  return {
    current: () => accounts,
    reload,
    close: () => unwatchFile(path, look),
  };
}

/** Who stood in the file, and what of an account it is that tokens stand on. */
interface Known {
  readonly clients: Readonly<Record<string, readonly string[]>>;
  /** Digests. */
  readonly users: Readonly<Record<string, string>>;
}

/**
 * Ends what was issued to those of `former` who may not have it any more, and to those who stood in the file when any process read it
 * last: another process may have gone on issuing until it read the file too.
 */
async function endFormer(
  store: Parts['store'],
  path: string,
  former: Accounts | undefined,
  accounts: Accounts,
  now: number,
): Promise<void> {
  const files = store.documents('accounts-files');
  const revocations = store.documents(revocationCollection);
  const kept = (await files.get(digestOf(path))) as Known | undefined; // written here alone
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

const knownOf = ({ clients, users }: Accounts): Known => ({
  clients: Object.fromEntries(
    clients.map(({ id, flows, scopes, partitions }) => [id, ['registered', ...flows, ...scopes, ...partitions]]),
  ),
  users: Object.fromEntries(
    users.map(({ id, password, partitions }) => [id, digestOf(JSON.stringify([password, partitions]))]),
  ),
});
