import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toggle } from '../config/flag.ts';
import type { Flag, Given } from '../config/flag.ts';
import { keySet, redirectUri, registrableScope, webOrigin, webUrl } from '../smart/accounts/account-rules.ts';
import { ConfigError } from '../config/read.ts';
import { choice, displayName, partitionId, some } from '../config/values.ts';
import type { Model } from '../model/model.ts';
import type { RegisteredClient } from '../smart/accounts/registered.ts';
import { jsonFlag, listed } from './accounts.ts';

/** The public keys of a client. */
export const keyFlags = [
  { flag: 'jwks', value: 'FILE', read: keysIn, meaning: 'File with its public keys, a JSON Web Key Set' },
  { flag: 'jwks-url', value: 'URL', read: webUrl, meaning: 'URL of its public keys, instead of a file' },
] as const satisfies readonly Flag[];

/** Public keys, or their URL. */
export type Keys = Pick<RegisteredClient, 'jwks' | 'jwksUrl'>;

/** The keys of these flags. */
export function keysOf(own: Given<typeof keyFlags>): Keys {
  return { jwks: own.jwks, jwksUrl: own['jwks-url'] };
}

function keysIn(path: string): RegisteredClient['jwks'] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'is not JSON.' : 'cannot be read.';
    throw new Error(`names \`${path}\`, which ${why}`, { cause });
  }
  try {
    return keySet(value);
  } catch (cause) {
    throw new Error(`names \`${path}\`, which ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** The properties of a client. */
export const clientFlags = [
  { flag: 'name', value: 'TEXT', read: displayName, meaning: 'Display name; default: the ID' },
  {
    flag: 'kind',
    value: 'KIND',
    read: choice('public', 'symmetric', 'asymmetric'),
    meaning: '`public`, `symmetric` or `asymmetric`; default: asymmetric with keys, else public',
  },
  {
    flag: 'flow',
    value: 'FLOW',
    read: choice('app', 'backend'),
    repeats: true,
    meaning: '`app` acts for users, `backend` without a user; default: app',
  },
  {
    flag: 'partitions',
    value: 'IDS',
    read: listed(partitionId),
    repeats: true,
    meaning: 'The partitions that it may use',
  },
  {
    flag: 'scope',
    value: 'SCOPES',
    read: some,
    repeats: true,
    meaning: 'The scopes that it may request, space-separated',
  },
  {
    flag: 'redirect-uri',
    value: 'URI',
    read: redirectUri,
    repeats: true,
    meaning: 'Where its users are redirected with a code; `http://127.0.0.1/…` without a port has any port',
  },
  { flag: 'launch-url', value: 'URL', read: webUrl, repeats: true, meaning: 'Where an EHR launch begins' },
  {
    flag: 'origin',
    value: 'ORIGIN',
    read: webOrigin,
    repeats: true,
    meaning: 'A web origin of its pages, in addition to those of its redirect URIs',
  },
  ...keyFlags,
  toggle('no-response-iss', 'Authorization responses have no `iss`, for apps whose launch page is their redirect page'),
  jsonFlag,
] as const satisfies readonly Flag[];

/** The scopes of the flag, each once. Throws ConfigError with all that do not exist. */
export function scopesOf(texts: readonly string[], model: Model): readonly string[] {
  const problems: string[] = [];
  const scopes = texts.flatMap(text => text.split(' ')).filter(Boolean);
  for (const scope of scopes) {
    try {
      registrableScope(scope, model);
    } catch (error) {
      problems.push(`\`--scope\` ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return [...new Set(scopes)];
}

/** 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url');
