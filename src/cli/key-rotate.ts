import { readKeyFile } from '../smart/key-file.ts';
import { discardSigningKeys, rotateSigningKeys } from '../smart/signing-keys.ts';
import { accounted } from './accounted.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { noPositionals } from './positionals.ts';

/** Adds a signing key; what the former one signed stays good until it expires. */
export const command = defineCommand({
  details: `The new key is published at once and signs a minute later; the former ones stay published for a day, longer than what they
signed lives. Access tokens are not signed: nothing happens to them. Where the key file is lost, --discard makes all keys new with the
key file that is given: ID tokens that apps hold cannot be checked any more.`,
  takes: [...storeSettings, 'key-file'],
  own: [{ flag: 'discard', value: undefined, read: () => true, meaning: 'Throw away keys that cannot be decrypted' }],
  async run({ config, own, positionals }) {
    noPositionals(positionals);
    const path = config.keyFile ?? (await demoKeyFile(config.store));
    if (path === undefined) throw new CommandError('`--key-file` is missing: the file with which the store is served.');
    const secret = readKeyFile(path);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const about = { command: 'key rotate', kind: 'security', action: 'U' } as const;
      const { kid, former, from } = await accounted(opened, about, async add => {
        const discarded = own.discard === true ? await discardSigningKeys(store) : 0;
        const rotated = await rotateSigningKeys(store, secret, Date.now);
        add({ details: { key: rotated.kid, discarded } });
        return rotated;
      });
      console.log(`The key \`${kid}\` signs from ${new Date(from).toISOString()} on.`);
      if (former !== undefined) console.log(`The former one, \`${former}\`, stays published for a day.`);
      return exitCodes.done;
    });
  },
});

/** That of a demonstration, which made one for itself. */
async function demoKeyFile(store: string): Promise<string | undefined> {
  const [{ demoFiles }, { existsSync }] = await Promise.all([import('../demo/files.ts'), import('node:fs')]);
  const { keyFile } = demoFiles(store);
  return existsSync(keyFile) ? keyFile : undefined;
}
