import { clientId, clientProblems } from '../smart/accounts/account-rules.ts';
import { clientCollection } from '../smart/accounts/registry.ts';
import type { StoredClient } from '../smart/accounts/registry.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import type { Flag, Given } from '../config/flag.ts';
import type { RegisteredClient } from '../smart/accounts/registered.ts';
import { digestOf } from '../auth/token/digest.ts';
import { ConfigError } from '../config/read.ts';
import type { Model } from '../model/model.ts';
import { audited } from './audited.ts';
import { accountList, accountsOf, forFileFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { CommandError, defineCommand, onePositional, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { clientFlags, keysOf, newSecret, scopesOf } from './client-flags.ts';

const flags = [...clientFlags, forFileFlag] as const satisfies readonly Flag[];

/** Registers an app or a backend system; a secret is generated, printed once, and stored as a digest only. */
export const clientAdd = defineCommand({
  positionals: 'ID',
  details: `A client is \`public\` (an app in a browser or on a device, which cannot keep a secret), \`symmetric\`
(the server of an app: a secret is generated and printed once) or \`asymmetric\` (it signs with a key;
--jwks or --jwks-url names its public half). A backend service (--flow backend) is asymmetric and has
system/ scopes.

  npm run -s cli -- client add growth-chart --partitions clinic --redirect-uri https://growth.example/callback \\
    --launch-url https://growth.example/launch --scope 'launch openid fhirUser patient/*.rs'`,
  takes: [...storeSettings, 'accounts'],
  own: flags,
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    return withStore(config, 'command', async opened => {
      const { store, model } = opened;
      const secret = own.kind === 'symmetric' ? newSecret() : undefined;
      const client = clientFrom(id, own, secret, model);
      const problems = clientProblems(
        client,
        (await store.partitions.list()).map(one => one.id),
      );
      if (problems.length > 0) throw new ConfigError(problems.map(text => `The client \`${id}\` ${text}`));
      if (own['for-file'] === true) {
        console.log(JSON.stringify(entryOf(client), null, 2));
        if (secret !== undefined) console.error(`The secret of \`${id}\`, shown this once: ${secret}`);
        return;
      }
      const { inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.clients, id, config.accounts);
      const { secretDigests, ...rest } = client;
      const kept: StoredClient = { ...rest, secrets: secretDigests.map(digest => ({ digest })) };
      const about = {
        command: 'client add',
        kind: 'security',
        action: 'C',
        client: id,
        details: { client: id },
      } as const;
      await audited(opened, about, async () => {
        const there = await store.documents(clientCollection).put(id, kept, { ifAbsent: true });
        if (JSON.stringify(there) !== JSON.stringify(kept))
          throw new CommandError(`The client \`${id}\` exists already; \`client update ${id}\` changes it.`);
      });
      if (own.json === true) console.log(JSON.stringify({ id, kind: client.kind, ...(secret && { secret }) }));
      else {
        console.log(`The client \`${id}\` (${client.kind}) is registered for ${client.partitions.join(', ')}.`);
        if (secret !== undefined) console.log(`Its secret, shown this once: ${secret}`);
      }
    });
  },
});

function clientFrom(id: string, own: Given<typeof flags>, secret: string | undefined, model: Model): RegisteredClient {
  const keys = keysOf(own);
  const hasKeys = keys.jwks !== undefined || keys.jwksUrl !== undefined;
  return {
    id,
    name: own.name ?? id,
    kind: own.kind ?? (hasKeys ? 'asymmetric' : 'public'),
    flows: own.flow.length === 0 ? ['app'] : own.flow,
    redirectUris: own['redirect-uri'],
    launchUrls: own['launch-url'],
    origins: own.origin,
    scopes: scopesOf(own.scope, model),
    partitions: own.partitions,
    secretDigests: secret === undefined ? [] : [digestOf(secret)],
    ...(own['no-response-iss'] === true ? { responseIss: false } : {}),
    ...keys,
    registered: Date.now(),
  };
}

/** The entry of the accounts file. */
function entryOf(client: RegisteredClient): Readonly<Record<string, unknown>> {
  const { id, name, kind, flows, redirectUris, launchUrls, origins, scopes, partitions, secretDigests } = client;
  const lists = { 'redirect-uris': redirectUris, 'launch-urls': launchUrls, origins, 'secret-digests': secretDigests };
  return {
    id,
    name,
    kind,
    flows,
    partitions,
    scopes,
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(client.responseIss === false ? { 'response-iss': false } : {}),
    ...(client.jwks === undefined ? {} : { jwks: client.jwks }),
    ...(client.jwksUrl === undefined ? {} : { 'jwks-url': client.jwksUrl }),
  };
}

/** A table of the clients, or JSON with all of their properties except the digests of their secrets. */
export const clientList = accountList({
  of: 'clients',
  read: registry => registry.clients(),
  columns: {
    NAME: ({ name }) => name,
    KIND: ({ kind }) => kind,
    FLOWS: ({ flows }) => flows.join(', '),
    PARTITIONS: ({ partitions }) => partitions.join(', '),
    'REDIRECT URIS': ({ redirectUris }) => redirectUris.join(', '),
    SECRETS: ({ kind, secretDigests }) => (kind === 'symmetric' ? String(secretDigests.length) : ''),
  },
  json: ({ secretDigests, ...client }) => ({ ...client, secrets: secretDigests.length }),
});

/** Removes a client and revokes its tokens. */
export const clientRemove = defineCommand({
  positionals: 'ID',
  details: 'Its tokens end within ten seconds in every process, and its exports are deleted.',
  takes: [...storeSettings, 'accounts'],
  async run({ config, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const { registry, inFile } = await accountsOf(config, opened);
      requireNotInFile(inFile.clients, id, config.accounts);
      if ((await registry.client(id)) === undefined) throw unknownAccount('client', id, await registry.clients());
      const about = {
        command: 'client remove',
        kind: 'security',
        action: 'D',
        client: id,
        details: { client: id },
      } as const;
      await audited(opened, about, async () => {
        await store.documents(clientCollection).delete(id);
        await revoke(store.documents(revocationCollection), 'client', id, Date.now());
        const { JobRecords } = await import('../jobs/records.ts');
        await new JobRecords(store, Date.now).removeOf(opened.publicUrl, id);
      });
      console.log(`The client \`${id}\` is removed, and its tokens are revoked.`);
    });
  },
});
