import { clientId } from '../smart/accounts/account-rules.ts';
import { clientCollection } from '../smart/accounts/registry.ts';
import type { StoredClient } from '../smart/accounts/registry.ts';
import { digestOf } from '../auth/token/digest.ts';
import { ConfigError } from '../config/read.ts';
import { integer } from '../config/values.ts';
import { audited } from './audited.ts';
import { accountsOf, jsonFlag, requireNotInFile, unknownAccount } from './accounts.ts';
import { newSecret } from './client-flags.ts';
import { keyFlags, keysOf } from './client-keys.ts';
import type { Keys } from './client-keys.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { onePositional } from './positionals.ts';

/** Gives a client another secret, while the former one stays valid for a time, or other keys. */
export const command = defineCommand({
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
    { flag: 'at-once', value: undefined, read: () => true, meaning: 'The former secret is invalid at once' },
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
      return exitCodes.done;
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
