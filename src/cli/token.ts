import { toggle } from '../config/flag.ts';
import { grantToken } from '../auth/token/grant.ts';
import type { TokenRequest } from '../auth/token/grant.ts';
import { issueToken, tokenCollection } from '../auth/token/own-tokens.ts';
import { ConfigError } from '../config/read.ts';
import { integer, some } from '../config/values.ts';
import { demoClients, demoUsers, scopesOf } from '../demo/clients.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/port/store.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import { recordId } from './record-flags.ts';

/** The parsed flags. */
interface TokenFlags {
  readonly client: string;
  readonly user: string | undefined;
  readonly patient: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly lifetime: number;
}

/** Writes a token to the store and prints it, and nothing else. */
export const command = defineCommand({
  details: `The demonstration has the clients demo-backend, with all system scopes, and demo-app, for the user
demo-clinician. For any other client or store the operator adds --i-am-operator; --scope is then required,
and --user names the user's own resource. The token is for {public-url}/r4/{partition}, which must be the
public URL of the server.

  curl -H "Authorization: Bearer $(npm run -s cli -- token --client demo-backend)" http://127.0.0.1:8080/r4/demo/...`,
  takes: [...storeSettings, 'partition'],
  own: [
    { flag: 'client', value: 'ID', read: word, meaning: 'The client that will use it' },
    {
      flag: 'user',
      value: 'USER',
      read: word,
      meaning: 'A user of the demonstration, or a resource such as `Type/id`',
    },
    { flag: 'patient', value: 'ID', read: recordId, meaning: 'Id of the patient in context, for patient/ scopes' },
    {
      flag: 'scope',
      value: 'SCOPES',
      read: some,
      meaning: 'Space-separated; default for a demo client: all of its scopes',
    },
    {
      flag: 'ttl',
      value: 'NUMBER',
      read: integer(1, 86_400),
      default: '3600',
      unit: 'seconds',
      meaning: 'Lifetime of the token',
    },
    toggle('i-am-operator', 'Issue it for any client, user and scope'),
  ],
  async run({ config, own }) {
    if (own.client === undefined) throw new ConfigError(['`--client` is missing.']);
    const asked: TokenFlags = {
      client: own.client,
      user: own.user,
      patient: own.patient,
      scopes: own.scope?.split(' ').filter(scope => scope !== ''),
      lifetime: own.ttl * 1000,
    };
    const token = await withStore(config, 'command', async opened => {
      const { store, model, publicUrl, owner } = opened;
      const partition = await partitionOf(store, config.partition);
      const request =
        own['i-am-operator'] === true ? operatorRequest(asked) : await demoRequest(asked, store, model, partition.id);
      const base = `${publicUrl}/r4/${partition.id}`;
      const place = { model, base, zone: partition.settings.zone, now: Date.now() };
      const grant = grantToken(request, partition.id, place);
      const { client, subject = '', patient, scopes } = request;
      const about = {
        command: 'token',
        kind: 'token',
        action: 'C',
        partition: partition.id,
        client,
        owner,
        patients: patient === undefined ? [] : [patient],
        details: { client, ...(subject === '' ? {} : { user: subject }), scope: scopes.join(' ') },
      } as const;
      return audited(opened, about, () => issueToken(store.documents(tokenCollection), grant));
    });
    console.log(token);
  },
});

/** Any client, user and scope. */
function operatorRequest({ client, user, patient, scopes, lifetime }: TokenFlags): TokenRequest {
  if (scopes === undefined) throw new ConfigError(['`--i-am-operator` requires `--scope`.']);
  const fhirUser = user?.includes('/') === true ? user : undefined;
  return { client, subject: user, fhirUser, patient, scopes, lifetime };
}

/** Only clients of the demonstration, in its own store. */
async function demoRequest(asked: TokenFlags, store: Store, model: Model, partition: string): Promise<TokenRequest> {
  const { client: id, user, patient, lifetime } = asked;
  const { demoPartition, readDemoMark } = await import('../demo/fill.ts');
  const client = demoClients.find(known => known.id === id);
  if (client === undefined) {
    const names = demoClients.map(known => known.id);
    throw new CommandError(
      `\`${id}\` is not a client of the demonstration; as the operator, add ` +
        `\`--i-am-operator\`.${didYouMean(id, names)}`,
    );
  }
  if (partition !== demoPartition || (await readDemoMark(store)) === undefined) {
    throw new CommandError(
      `This is not the partition of a demonstration, where \`${id}\` has no access; as the operator, ` +
        'add `--i-am-operator`.',
    );
  }
  const { users } = client;
  if (user === undefined ? users.length > 0 : !users.includes(user)) {
    throw new CommandError(
      `\`${id}\` is for ${users.length === 0 ? 'no user' : users.map(name => `\`--user ${name}\``).join(' or ')}.`,
    );
  }
  const all = scopesOf(
    client,
    [...model.types.values()].flatMap(({ smartScopes }) => smartScopes),
    patient,
  );
  const scopes = asked.scopes ?? [...new Set(all)];
  const beyond = scopes.find(scope => !client.contexts.includes(scope.split('/')[0] ?? ''));
  if (beyond !== undefined) throw new CommandError(`\`${id}\` cannot have a scope such as \`${beyond}\`.`);
  const fhirUser = demoUsers.find(known => known.id === user)?.fhirUser;
  return { client: id, subject: user, fhirUser, patient, scopes, lifetime };
}

function word(text: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(text)) return text;
  throw new Error('must be 1 to 200 visible characters.');
}
