import { randomBytes } from 'node:crypto';
import type { Flag } from '../config/flag.ts';
import { redirectUri, registrableScope, webOrigin, webUrl } from '../smart/accounts/account-rules.ts';
import { ConfigError } from '../config/read.ts';
import { choice, displayName, partitionId, some } from '../config/values.ts';
import type { Model } from '../model/model.ts';
import { jsonFlag, listed } from './accounts.ts';
import { keyFlags } from './client-keys.ts';

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
  {
    flag: 'no-response-iss',
    value: undefined,
    read: () => true,
    meaning: 'Authorization responses have no `iss`, for apps whose launch page is their redirect page',
  },
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
