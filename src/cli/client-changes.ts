import { toggle } from '../config/flag.ts';
import type { Flag, Given } from '../config/flag.ts';
import { clientId, clientProblems } from '../smart/accounts/account-rules.ts';
import { clientCollection, clientOf } from '../smart/accounts/registry.ts';
import type { StoredClient } from '../smart/accounts/registry.ts';
import { digestOf } from '../auth/token/digest.ts';
import { ConfigError } from '../config/read.ts';
import { integer } from '../config/values.ts';
import { lostRights } from '../smart/accounts/accounts-file.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import type { Model } from '../model/model.ts';
import { audited } from './audited.ts';
import { accountsOf, jsonFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { clientFlags, keyFlags, keysOf, newSecret, scopesOf } from './client-flags.ts';
import type { Keys } from './client-flags.ts';
import { CommandError, defineCommand, onePositional, storeSettings } from './command.ts';
import { withStore } from './open.ts';

const flags = [
  ...clientFlags,
  toggle('response-iss', 'Authorization responses have `iss` again'),
  toggle('no-redirect-uri', 'It has no redirect URI, as a backend'),
  toggle('no-launch-url', 'It has no URL where an EHR launch begins'),
  toggle('no-origin', 'Its pages have no other web origins'),
] as const satisfies readonly Flag[];

/** Changes the named properties of a client, and revokes its tokens if it has fewer rights then. */
export const clientUpdate = defineCommand({
  positionals: 'ID',
  details: `What no flag names stays: defaults are for \`client add\`. A list replaces the former one: name all
partitions, scopes or addresses. Another --kind generates a secret, which is printed once, or needs keys. A client
that loses a flow, a partition or a scope loses its tokens within ten seconds in every process. \`client rotate\`
replaces a secret while the former one stays valid for a time.

  npm run -s cli -- client update growth-chart --redirect-uri https://growth.example/callback`,
  takes: [...storeSettings, 'accounts'],
  own: flags,
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    requireOne(own);
    return withStore(config, 'command', async opened => {
      const { store, model } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.clients, id, config.accounts);
      const clients = store.documents(clientCollection);
      const kept = (await clients.get(id)) as StoredClient | undefined; // only this program writes it
      if (kept === undefined) throw unknownAccount('client', id, await registry.clients());
      const kind = own.kind ?? kept.kind;
      const secret = kind === 'symmetric' && kept.kind !== kind ? newSecret() : undefined;
      const next = changed(kept, own, secret, model);
      const partitions = (await store.partitions.list()).map(one => one.id);
      const problems = clientProblems(clientOf(next, Date.now()), partitions);
      if (problems.length > 0) throw new ConfigError(problems.map(text => `The client \`${id}\` ${text}`));
      const isLess = lostRights(kept, next);
      const about = {
        command: 'client update',
        kind: 'security',
        action: 'U',
        client: id,
        details: { client: id },
      } as const;
      await audited(opened, about, async () => {
        await clients.put(id, next);
        if (isLess) await revoke(store.documents(revocationCollection), 'client', id, Date.now());
      });
      if (own.json === true) console.log(JSON.stringify({ id, kind, ...(secret && { secret }) }));
      else {
        console.log(`The client \`${id}\` is changed${isLess ? ', and its tokens are revoked' : ''}.`);
        if (secret !== undefined) console.log(`Its secret, shown this once: ${secret}`);
      }
    });
  },
});

type Own = Given<typeof flags>;

/** Throws ConfigError for a command that changes nothing, and for flags that contradict each other. */
function requireOne(own: Own): void {
  const { json: _, ...changes } = own;
  const isNamed = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== undefined);
  if (!Object.values(changes).some(isNamed))
    throw new ConfigError(['No flag names what to change; `client update --help` lists them.']);
  const both = (['redirect-uri', 'launch-url', 'origin', 'response-iss'] as const).filter(
    flag => isNamed(own[flag]) && own[`no-${flag}`] === true,
  );
  if (both.length > 0)
    throw new ConfigError(both.map(flag => `\`--${flag}\` and \`--no-${flag}\` exclude each other.`));
}

function changed(kept: StoredClient, own: Own, secret: string | undefined, model: Model): StoredClient {
  const kind = own.kind ?? kept.kind;
  const list = <T>(given: readonly T[], former: readonly T[], isNone = false): readonly T[] =>
    isNone ? [] : given.length > 0 ? given : former;
  const given = keysOf(own);
  const keys = given.jwks === undefined && given.jwksUrl === undefined && kind === 'asymmetric' ? kept : given;
  const hasIss = own['no-response-iss'] === true ? false : own['response-iss'] === true ? true : kept.responseIss;
  return {
    ...kept,
    name: own.name ?? kept.name,
    kind,
    flows: list(own.flow, kept.flows),
    redirectUris: list(own['redirect-uri'], kept.redirectUris, own['no-redirect-uri']),
    launchUrls: list(own['launch-url'], kept.launchUrls, own['no-launch-url']),
    origins: list(own.origin, kept.origins, own['no-origin']),
    scopes: list(scopesOf(own.scope, model), kept.scopes),
    partitions: list(own.partitions, kept.partitions),
    responseIss: hasIss,
    jwks: keys.jwks,
    jwksUrl: keys.jwksUrl,
    secrets: secret !== undefined ? [{ digest: digestOf(secret) }] : kind === 'symmetric' ? kept.secrets : [],
  };
}

/** Gives a client another secret, while the former one stays valid for a time, or other keys. */
export const clientRotate = defineCommand({
  positionals: 'ID',
  details: `A new secret is printed once; the former one stays valid for a day, for --grace, or with --at-once not at
all. The keys of an asymmetric client are replaced by those that --jwks or --jwks-url names.`,
  takes: [...storeSettings, 'accounts'],
  own: [
    {
      flag: 'grace',
      value: 'NUMBER',
      read: integer(1, 2_592_000),
      unit: 'seconds',
      meaning: 'How long the former secret stays valid; default: a day',
    },
    toggle('at-once', 'The former secret is invalid at once'),
    ...keyFlags,
    jsonFlag,
  ],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    if (own.grace !== undefined && own['at-once'] === true)
      throw new ConfigError(['`--grace` and `--at-once` exclude each other.']);
    return withStore(config, 'command', async opened => {
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.clients, id, config.accounts);
      const clients = opened.store.documents(clientCollection);
      const kept = (await clients.get(id)) as StoredClient | undefined; // only this program writes it
      if (kept === undefined) throw unknownAccount('client', id, await registry.clients());
      const secret = kept.kind === 'symmetric' ? newSecret() : undefined;
      const next = secret === undefined ? withKeys(kept, keysOf(own)) : withSecret(kept, secret, graceOf(own));
      const about = {
        command: 'client rotate',
        kind: 'security',
        action: 'U',
        client: id,
        details: { client: id },
      } as const;
      await audited(opened, about, () => clients.put(id, next));
      if (own.json === true) console.log(JSON.stringify({ id, ...(secret && { secret }) }));
      else if (secret === undefined) console.log(`The keys of \`${id}\` are replaced.`);
      else {
        const former = next.secrets.length > 1 ? `is valid until ${until(next)}` : 'is no longer valid';
        console.log(`The former secret of \`${id}\` ${former}. The new one, shown this once: ${secret}`);
      }
    });
  },
});

/** Milliseconds; a day by default. */
const graceOf = (own: { readonly 'at-once': boolean | undefined; readonly grace: number | undefined }): number =>
  own['at-once'] === true ? 0 : (own.grace ?? 86_400) * 1000;

function withSecret(kept: StoredClient, secret: string, grace: number): StoredClient {
  const now = Date.now();
  const last = kept.secrets.at(-1); // of three only the last two are valid
  const former = last === undefined || grace === 0 ? [] : [{ digest: last.digest, until: now + grace }];
  return { ...kept, secrets: [...former, { digest: digestOf(secret) }] };
}

function withKeys(kept: StoredClient, keys: Keys): StoredClient {
  if (kept.kind === 'public')
    throw new CommandError(`The client \`${kept.id}\` is public: it has no secret and no keys.`);
  if ((keys.jwks === undefined) === (keys.jwksUrl === undefined))
    throw new ConfigError([
      `The client \`${kept.id}\` is asymmetric: set its new keys with \`--jwks\` or \`--jwks-url\`.`,
    ]);
  return { ...kept, ...keys };
}

const until = ({ secrets }: StoredClient): string => new Date(secrets[0]?.until ?? 0).toISOString();
