import { statSync } from 'node:fs';
import { digestOf } from '../../auth/token/digest.ts';
import { JsonError, parseJson } from '../../fhir/json.ts';
import { isObject } from '../../fhir/json-object.ts';
import type { Model } from '../../model/model.ts';
import { checkContent, printProblems, problemOf, withLists } from '../../config/check.ts';
import type { Formats, SettingPlace, Problem } from '../../config/check.ts';
import { displayName, partitionId } from '../../config/values.ts';
import type { Store } from '../../store/port/store.ts';
import { readNamedText, readSetting } from '../../config/named-file.ts';
import {
  clientId,
  clientProblems,
  fhirUser,
  keySet,
  redirectUri,
  registrableScope,
  userId,
  userProblems,
  webOrigin,
  webUrl,
} from './account-rules.ts';
import type { Accounts } from './accounts-file.ts';
import { isPasswordHash } from './password.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';
import { accountsSchema } from './accounts-schema.ts';
import type { AccountsContent, ClientEntry, UserEntry } from './accounts-schema.ts';

/** The context for reading a file of clients and users. */
export interface AccountsRules {
  readonly model: Model;
  /** Ids of the existing partitions. */
  readonly partitions: readonly string[];
  /** Reads a file that an entry names. */
  readonly readFile: (path: string) => string;
  /** The registration time of its accounts, in milliseconds since 1970 UTC. */
  readonly registered: number;
}

/**
 * The current content of the accounts file, checked against definitions and partitions. Throws Error with all problems.
 */
export async function readAccountsAt(path: string, store: Pick<Store, 'partitions'>, model: Model): Promise<Accounts> {
  const text = readSetting('accounts', path).toString('utf8');
  const partitions = (await store.partitions.list()).map(one => one.id);
  return readAccounts(path, text, { model, partitions, readFile: readNamedText, registered: statSync(path).mtimeMs });
}

/**
 * Parses clients and users of a file: an object with the lists `clients` and `users`. Throws Error with all problems,
 * one whole sentence per line, with the name of the file and the place in it, in its order. Secrets are never quoted.
 */
export function readAccounts(file: string, text: string, rules: AccountsRules): Accounts {
  const content = withLists(accountsSchema, parse(file, text));
  const found = checkContent(accountsSchema, content, formats(rules));
  const isSound = (list: string, index: number): boolean =>
    !found.some(({ place }) => place[0] === list && (place.length === 1 || place[1] === index));
  // Entries without problems have their types: no others are read.
  const { clients = [], users = [] } = content as AccountsContent;
  const soundClients = soundOf(clients, index => isSound('clients', index));
  const soundUsers = soundOf(users, index => isSound('users', index));
  const problems = [
    ...found,
    ...soundClients.flatMap(([index, entry]) => problemsOfClient(entry, ['clients', index], rules)),
    ...soundUsers.flatMap(([index, entry]) => problemsOfUser(entry, ['users', index], rules)),
    ...sameIds('clients', clients),
    ...sameIds('users', users),
    ...strangers(users),
  ];
  if (problems.length > 0) throw new Error(printProblems(problems, file, content).join('\n'));
  return {
    clients: soundClients.map(([, entry]) => readClient(entry, rules)),
    users: soundUsers.map(([, entry]) => readUser(entry, rules)),
  };
}

function parse(file: string, text: string): object {
  let value: unknown;
  try {
    value = parseJson(text).value; // strict: a repeated name is rejected
  } catch (error) {
    const where = error instanceof JsonError ? ` (line ${error.line}, column ${error.column})` : '';
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    throw new Error(`The file ${file} cannot be read: ${why}${where}.`, { cause: error });
  }
  if (isObject(value)) return value;
  throw new Error(`The file ${file} must be one JSON object.`);
}

/** The readers that the schema names. */
function formats({ model, readFile }: AccountsRules): Formats {
  return {
    'client-id': clientId,
    'user-id': userId,
    'display-name': displayName,
    'redirect-uri': redirectUri,
    'web-url': webUrl,
    'web-origin': webOrigin,
    scopes: text => wordsOf(text).map(scope => registrableScope(scope, model)),
    'partition-id': partitionId,
    'secret-digest': secretDigest,
    'secret-file': path => longSecret(readFile(path).trim()),
    'keys-file': path => keySet(JSON.parse(readFile(path))),
    'password-hash': passwordHash,
    'fhir-user': fhirUser,
  };
}

/** The contradictions in a client that fits the schema. */
function problemsOfClient(entry: ClientEntry, place: SettingPlace, rules: AccountsRules): readonly Problem[] {
  const keys = entry.jwks === undefined ? undefined : problemOf(keySet, entry.jwks);
  if (keys !== undefined) return [{ place: [...place, 'jwks'], text: keys }];
  return clientProblems(readClient(entry, rules), rules.partitions).map(text => ({ place, text }));
}

function problemsOfUser(entry: UserEntry, place: SettingPlace, rules: AccountsRules): readonly Problem[] {
  return userProblems(readUser(entry, rules), rules.partitions).map(text => ({ place, text }));
}

/** The entries with the id of an earlier one, whatever else is wrong with them. */
function sameIds(list: string, entries: unknown): readonly Problem[] {
  const ids = Array.isArray(entries) ? entries.map(entry => (isObject(entry) ? entry['id'] : undefined)) : [];
  return ids.flatMap((id, index) =>
    typeof id === 'string' && ids.indexOf(id) < index
      ? [{ place: [list, index, 'id'], text: `is \`${id}\`, which another entry has too.` }]
      : [],
  );
}

/** The partitions for which a user has a resource without being a user of them, whatever else is wrong. */
function strangers(users: unknown): readonly Problem[] {
  return (Array.isArray(users) ? users : []).flatMap((user: unknown, index) => {
    if (!isObject(user) || !isObject(user['fhir-user'])) return [];
    const partitions: unknown = user['partitions'];
    const others = Object.keys(user['fhir-user']).filter(id => !(Array.isArray(partitions) && partitions.includes(id)));
    return others.map(id => ({ place: ['users', index, 'fhir-user', id], text: 'is not a partition of the user.' }));
  });
}

const soundOf = <T>(entries: readonly T[], isSound: (index: number) => boolean): readonly (readonly [number, T])[] =>
  Array.isArray(entries) ? [...entries.entries()].filter(([index]) => isSound(index)) : [];

function readClient(entry: ClientEntry, { readFile, registered }: AccountsRules): RegisteredClient {
  const secrets = entry['secret-file']?.map(path => digestOf(readFile(path).trim())) ?? [];
  const [keysFile, jwks] = [entry['jwks-file'], entry.jwks];
  return {
    id: entry.id,
    name: entry.name ?? entry.id,
    kind: entry.kind,
    flows: entry.flows ?? ['app'],
    redirectUris: entry['redirect-uris'] ?? [],
    launchUrls: entry['launch-urls'] ?? [],
    origins: entry.origins ?? [],
    ...(entry['response-iss'] === false ? { responseIss: false } : {}),
    scopes: (entry.scopes ?? []).flatMap(wordsOf),
    partitions: entry.partitions ?? [],
    secretDigests: [...(entry['secret-digests'] ?? []), ...secrets],
    jwks: keysFile !== undefined ? keySet(JSON.parse(readFile(keysFile))) : jwks && keySet(jwks),
    jwksUrl: entry['jwks-url'],
    registered,
  };
}

function readUser(entry: UserEntry, { registered }: AccountsRules): RegisteredUser {
  const { id, name = id, password, partitions = [], 'fhir-user': resource } = entry;
  return {
    id,
    name,
    password,
    partitions: partitions.map(partition => ({
      id: partition,
      fhirUser: typeof resource === 'object' ? resource[partition] : resource,
    })),
    registered,
  };
}

const wordsOf = (text: string): string[] => text.split(' ').filter(Boolean);

function secretDigest(text: string): string {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new Error('must be a digest of a secret, as `client add --for-file` prints it.');
}

function longSecret(text: string): string {
  if (text.length >= 32) return text;
  throw new Error('names a file with fewer than 32 characters, which is too short for a secret.');
}

/** Not quoted, since it may be a password. */
function passwordHash(text: string): string {
  if (isPasswordHash(text)) return text;
  throw new Error('must be what `user add --for-file` prints (argon2id), never the password.');
}
