import { toggle } from '../config/flag.ts';
import { clientId, userId } from '../smart/accounts/account-rules.ts';
import { createLaunch } from '../smart/sign-in/launches.ts';
import type { RegisteredClient, RegisteredUser } from '../smart/accounts/registered.ts';
import { ConfigError } from '../config/read.ts';
import { some } from '../config/values.ts';
import { ownedBy } from '../auth/owned-by.ts';
import { matches } from '../search/matches.ts';
import type { Partition } from '../store/port/partitions.ts';
import { audited } from './audited.ts';
import { accountsOf, jsonFlag, unknownAccount } from './accounts.ts';
import { CommandError, defineCommand, storeSettings } from './command.ts';
import { partitionOf, withStore } from './open.ts';
import type { Opened } from './open.ts';
import { recordId } from './record-flags.ts';

/** Creates a launch token, as an EHR that starts an app does, and prints the URL to open. */
export const command = defineCommand({
  details: `The token is for this client, user and partition, and expires after launch-lifetime. The URL must be
opened and signed in to by this user.

  npm run -s cli -- launch add --client demo-app --user demo-clinician --patient p905-00003`,
  takes: [...storeSettings, 'accounts', 'partition', 'launch-lifetime'],
  own: [
    { flag: 'client', value: 'ID', read: clientId, meaning: 'The app' },
    { flag: 'user', value: 'ID', read: userId, meaning: 'The user who will use it' },
    { flag: 'patient', value: 'ID', read: recordId, meaning: 'Id of the patient in context' },
    {
      flag: 'encounter',
      value: 'ID',
      read: recordId,
      meaning: 'Id of the encounter in context, which belongs to the patient',
    },
    { flag: 'intent', value: 'TEXT', read: some, meaning: 'The task that the user is about to do' },
    toggle('no-banner', 'The patient is shown outside of the app'),
    { flag: 'launch-url', value: 'URL', read: some, meaning: 'One of its launch URLs; default: the first' },
    jsonFlag,
  ],
  async run({ config, own }) {
    const { client: id, user: who, patient, encounter, intent } = own;
    if (id === undefined || who === undefined) {
      const needed = (['client', 'user'] as const).filter(flag => own[flag] === undefined);
      throw new ConfigError(needed.map(flag => `\`--${flag}\` is missing.`));
    }
    return withStore(config, 'command', async opened => {
      const { store, publicUrl, owner } = opened;
      const { registry } = await accountsOf(config, opened);
      const partition = await partitionOf(store, config.partition);
      const client = await registry.client(id);
      if (client === undefined) throw unknownAccount('client', id, await registry.clients());
      const user = await registry.user(who);
      if (user === undefined) throw unknownAccount('user', who, await registry.users());
      requirePartition(client, user, partition.id);
      const url = launchUrlOf(client, own['launch-url']);
      await requireContext({ patient, encounter }, partition, opened);
      requireOwn(user, partition.id, owner, patient);
      const launch = {
        client: client.id,
        user: user.id,
        partition: partition.id,
        patient,
        encounter,
        intent,
        needPatientBanner: own['no-banner'] !== true,
      };
      const about = {
        command: 'launch add',
        kind: 'token',
        action: 'C',
        partition: partition.id,
        client: client.id,
        owner,
        patients: patient === undefined ? [] : [patient],
        details: { client: client.id, user: user.id },
      } as const;
      const value = await audited(opened, about, () =>
        createLaunch(store, launch, { lifetime: config.launchLifetime }),
      );
      url.searchParams.set('iss', `${publicUrl}/r4/${partition.id}`);
      url.searchParams.set('launch', value);
      console.log(own.json === true ? JSON.stringify({ launch: value, url: url.href }) : url.href);
    });
  },
});

function requirePartition(client: RegisteredClient, user: RegisteredUser, id: string): void {
  if (!client.partitions.includes(id))
    throw new CommandError(`The client \`${client.id}\` is for ${client.partitions.join(', ')}, not for \`${id}\`.`);
  const theirs = user.partitions.map(partition => partition.id);
  if (!theirs.includes(id))
    throw new CommandError(`The user \`${user.id}\` is for ${theirs.join(', ')}, not for \`${id}\`.`);
}

/** A user who is a patient opens no other record: the token would be rejected. */
function requireOwn({ id, partitions }: RegisteredUser, partition: string, owner = '', patient?: string): void {
  const [type, own] = (partitions.find(one => one.id === partition)?.fhirUser ?? '').split('/');
  if (type !== owner || own === undefined || patient === undefined || patient === own) return;
  throw new CommandError(`The user \`${id}\` is the ${owner} \`${own}\`, and opens no other record.`);
}

/** https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#launch-app-ehr-launch */
function launchUrlOf({ id, launchUrls }: RegisteredClient, given: string | undefined): URL {
  const url = given ?? launchUrls[0];
  if (url === undefined) throw new CommandError(`The client \`${id}\` has no launch URL.`);
  if (launchUrls.includes(url)) return new URL(url);
  throw new CommandError(`\`${url}\` is not a launch URL of \`${id}\`; use ${launchUrls.join(', ')}.`);
}

/** Ids of the records in the context of a launch. */
interface LaunchContext {
  readonly patient: string | undefined;
  readonly encounter: string | undefined;
}

/**
 * Throws CommandError if a record in context does not exist, or the encounter belongs to another patient: the app would
 * show one person's visit in the record of another.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#launch-context-arrives-with-your-access_token
 */
async function requireContext(
  { patient, encounter }: LaunchContext,
  partition: Partition,
  { model, extract, owner, publicUrl }: Pick<Opened, 'model' | 'extract' | 'owner' | 'publicUrl'>,
): Promise<void> {
  if (patient !== undefined && owner !== undefined && (await partition.read(owner, patient)) === undefined)
    throw new CommandError(`There is no ${owner} \`${patient}\` in \`${partition.id}\`.`);
  // `launch/encounter` has the name of the type in lower case.
  const type = [...model.types.values()].find(({ name }) => name.toLowerCase() === 'encounter');
  if (encounter === undefined || type === undefined || owner === undefined) return;
  if (patient === undefined)
    throw new CommandError(`Name the patient of the encounter \`${encounter}\` with \`--patient\`.`);
  const found = await partition.read(type.name, encounter);
  if (found?.text === undefined)
    throw new CommandError(`There is no ${type.name} \`${encounter}\` in \`${partition.id}\`.`);
  const { id, lastUpdated, text } = found;
  const rule = ownedBy({ model, base: `${publicUrl}/r4/${partition.id}` }, type, patient);
  const entries = extract(type, text, { id: partition.id, zone: partition.settings.zone });
  if (rule === undefined || matches(rule, { id, lastUpdated, entries })) return;
  throw new CommandError(`The ${type.name} \`${encounter}\` does not belong to the ${owner} \`${patient}\`.`);
}
