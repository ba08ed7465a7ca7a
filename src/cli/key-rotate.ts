import { toggle } from '../config/flag.ts';
import { readKeyFile } from '../smart/accounts/key-file.ts';
import { discardSigningKeys, rotateSigningKeys } from '../smart/token/signing-keys.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, storeSettings } from './command.ts';
import { withStore } from './open.ts';

/** Adds a signing key; tokens of the former one stay valid until they expire. */
export const command = defineCommand({
  details: `The new key is published at once and signs a minute later; the former ones stay published for a day,
longer than the tokens that they signed are valid. Access tokens are not signed and not affected. If the
key file is lost, --discard replaces all keys with the given key file: ID tokens that apps hold can no
longer be verified.`,
  takes: [...storeSettings, 'key-file'],
  own: [toggle('discard', 'Delete keys that cannot be decrypted')],
  async run({ config, own }) {
    const path = config.keyFile ?? (await demoKeyFile(config.store));
    if (path === undefined) throw new CommandError('`--key-file` is missing: the file with which the store is served.');
    const secret = readKeyFile(path);
    return withStore(config, 'command', async opened => {
      const { store } = opened;
      const about = { command: 'key rotate', kind: 'security', action: 'U' } as const;
      const { kid, former, from } = await audited(opened, about, async add => {
        const discarded = own.discard === true ? await discardSigningKeys(store) : 0;
        const rotated = await rotateSigningKeys(store, secret, Date.now);
        add({ details: { key: rotated.kid, discarded } });
        return rotated;
      });
      console.log(`The key \`${kid}\` signs from ${new Date(from).toISOString()} on.`);
      if (former !== undefined) console.log(`The former one, \`${former}\`, stays published for a day.`);
    });
  },
});

/** The key file of a demonstration, which generated its own. */
async function demoKeyFile(store: string): Promise<string | undefined> {
  const [{ demoFiles }, { existsSync }] = await Promise.all([import('../demo/files.ts'), import('node:fs')]);
  const { keyFile } = demoFiles(store);
  return existsSync(keyFile) ? keyFile : undefined;
}
