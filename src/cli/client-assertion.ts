import { existsSync } from 'node:fs';
import { clientId } from '../smart/accounts/account-rules.ts';
import { issuerPath } from '../auth/offered.ts';
import { ConfigError } from '../config/read.ts';
import { some } from '../config/values.ts';
import { defineCommand, onePositional, storeSettings } from './command.ts';
import { withStore } from './open.ts';
import { readPrivateKey, signAssertion } from './private-key.ts';

/** Prints a client assertion, and nothing else: the credential of an asymmetric client. */
export const command = defineCommand({
  positionals: 'ID',
  details: `It is single-use and expires after five minutes. --key names the private key, as PEM or JSON Web Key; that
of the demo backend is beside the store.
https://hl7.org/fhir/smart-app-launch/STU2.2/client-confidential-asymmetric.html#authenticating-to-the-token-endpoint`,
  takes: storeSettings,
  own: [
    { flag: 'key', value: 'FILE', read: some, meaning: 'File with the private key: RSA, or EC on P-384' },
    { flag: 'kid', value: 'ID', read: some, meaning: 'Id of the key, if the file has none' },
  ],
  async run({ config, own, positionals }) {
    const id = onePositional(positionals, 'ID', clientId);
    const path = own.key ?? (await demoKey(id, config.store));
    if (path === undefined) throw new ConfigError(['`--key` is missing: the file with the private key of the client.']);
    const { key, kid } = readPrivateKey(path);
    const named = own.kid ?? kid;
    if (named === undefined) throw new ConfigError(['`--kid` is missing: the file has no id of the key.']);
    return withStore(config, 'read', async ({ publicUrl }) => {
      console.log(signAssertion(id, `${publicUrl}${issuerPath}/token`, key, named));
    });
  },
});

async function demoKey(id: string, store: string): Promise<string | undefined> {
  const [{ demoBackend }, { demoFiles }] = await Promise.all([
    import('../demo/clients.ts'),
    import('../demo/files.ts'),
  ]);
  const { backendKey } = demoFiles(store);
  return id === demoBackend && existsSync(backendKey) ? backendKey : undefined;
}
