import type { Accounts } from '../smart/accounts-file.ts';
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
} from '../smart/account-rules.ts';
import { isPasswordHash } from '../smart/password.ts';
import type { RegisteredClient, RegisteredUser } from '../smart/registered.ts';
import { digestOf } from '../auth/token/digest.ts';
import { JsonError, parseJson } from '../fhir/json.ts';
import type { Model } from '../model/model.ts';
import { Fields, isObject } from './fields.ts';
import { choice, displayName, partitionId } from './values.ts';

/** By what a file of clients and users is read. */
export interface AccountsRules {
  readonly model: Model;
  /** Ids of the partitions that are there. */
  readonly partitions: readonly string[];
  /** Reads a file that an entry names. */
  readonly readFile: (path: string) => string;
  /** When they count as registered, in milliseconds since 1970 UTC. */
  readonly registered: number;
}

/**
 * Clients and users of a file: an object with the lists `clients` and `users`. Throws Error with all that is wrong, one whole
 * sentence a line, with the name of the file and the place in it. Secrets are never quoted.
 */
export function readAccounts(file: string, text: string, rules: AccountsRules): Accounts {
  const problems: string[] = [];
  const content = parse(file, text, problems);
  const top = new Fields(content, '', file, problems);
  const clients = entries('clients', content, top, file, problems, fields => readClient(fields, rules));
  const users = entries('users', content, top, file, problems, fields => readUser(fields, rules));
  top.end();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return { clients, users };
}

function parse(file: string, text: string, problems: string[]): Readonly<Record<string, unknown>> {
  try {
    const { value } = parseJson(text); // strict: a name that is given twice is refused
    if (isObject(value)) return { ...value };
    problems.push(`The file ${file} must be one JSON object.`);
  } catch (error) {
    const where = error instanceof JsonError ? ` (line ${error.line}, column ${error.column})` : '';
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    problems.push(`The file ${file} cannot be read: ${why}${where}.`);
  }
  return {};
}

function entries<T extends { readonly id: string }>(
  key: string,
  content: Readonly<Record<string, unknown>>,
  top: Fields,
  file: string,
  problems: string[],
  read: (fields: Fields) => T,
): readonly T[] {
  const value = top.has(key) ? content[key] : [];
  if (!Array.isArray(value) || !value.every(isObject)) {
    problems.push(`\`${key}\` in ${file} must be a list of objects.`);
    return [];
  }
  const found = value.map((item, index) => read(new Fields(item, `${key}[${index}]`, file, problems)));
  for (const [index, { id }] of found.entries()) {
    if (id !== '' && found.findIndex(other => other.id === id) < index)
      problems.push(`\`${key}[${index}].id\` in ${file} is \`${id}\`, as is that of another one.`);
  }
  return found;
}

function readClient(fields: Fields, { model, partitions, readFile, registered }: AccountsRules): RegisteredClient {
  const id = fields.text('id', clientId);
  const kind = fields.text('kind', choice('public', 'symmetric', 'asymmetric')) as RegisteredClient['kind'] | undefined;
  const flows = fields.texts('flows', choice('app', 'backend')) as RegisteredClient['flows'] | undefined;
  const scopes = fields.texts('scopes', text => {
    for (const scope of text.split(' ').filter(Boolean)) registrableScope(scope, model);
    return text;
  });
  const secrets = [
    ...(fields.texts('secret-digests', secretDigest) ?? []),
    ...(fields.texts('secret-file', path => digestOf(longSecret(readFile(path).trim()))) ?? []),
  ];
  const client: RegisteredClient = {
    id: id ?? '',
    name: fields.text('name', displayName) ?? id ?? '',
    kind: kind ?? 'public',
    flows: flows ?? ['app'],
    redirectUris: fields.texts('redirect-uris', redirectUri) ?? [],
    launchUrls: fields.texts('launch-urls', webUrl) ?? [],
    origins: fields.texts('origins', webOrigin) ?? [],
    scopes: scopes?.flatMap(text => text.split(' ').filter(Boolean)) ?? [],
    partitions: fields.texts('partitions', partitionId) ?? [],
    secretDigests: secrets,
    jwks: readKeys(fields, readFile),
    jwksUrl: fields.text('jwks-url', webUrl),
    registered,
  };
  fields.require('id', ': by which it is known.');
  fields.require('kind', ': `public`, `symmetric` or `asymmetric`.');
  const found = clientProblems(client, partitions);
  if (fields.isSound()) for (const problem of found) fields.wrong(problem);
  fields.end();
  return client;
}

function readUser(fields: Fields, { partitions, registered }: AccountsRules): RegisteredUser {
  const id = fields.text('id', userId);
  const ids = fields.texts('partitions', partitionId) ?? [];
  const people = fields.isInner('fhir-user') ? fields.inner('fhir-user') : undefined;
  const everywhere = people === undefined ? fields.text('fhir-user', fhirUser) : undefined;
  for (const name of people?.names() ?? [])
    if (!ids.includes(name) && people?.has(name) === true) people.problem(name, 'is no partition of the user.');
  const user: RegisteredUser = {
    id: id ?? '',
    name: fields.text('name', displayName) ?? id ?? '',
    password: fields.text('password', passwordHash) ?? '',
    partitions: ids.map(partition => ({ id: partition, fhirUser: people?.text(partition, fhirUser) ?? everywhere })),
    registered,
  };
  fields.require('id', ': what is typed to sign in.');
  fields.require('password', ': what `user add --for-file` prints.');
  if (fields.isSound()) for (const problem of userProblems(user, partitions)) fields.wrong(problem);
  people?.end();
  fields.end();
  return user;
}

function readKeys(fields: Fields, readFile: AccountsRules['readFile']): RegisteredClient['jwks'] {
  let keys: RegisteredClient['jwks'];
  if (fields.has('jwks')) keys = fields.value('jwks', keySet);
  fields.text('jwks-file', path => {
    keys = keySet(JSON.parse(readFile(path)));
    return path;
  });
  return keys;
}

function secretDigest(text: string): string {
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text;
  throw new Error('must be a digest of a secret, as `client add --for-file` prints it.');
}

function longSecret(text: string): string {
  if (text.length >= 32) return text;
  throw new Error('names a file with fewer than 32 characters, which is too short for a secret.');
}

/** Not quoted: what is wrong may be a password. */
function passwordHash(text: string): string {
  if (isPasswordHash(text)) return text;
  throw new Error('must be what `user add --for-file` prints (argon2id), never the password.');
}
