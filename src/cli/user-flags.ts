import { fhirUser } from '../smart/accounts/account-rules.ts';
import type { RegisteredUser } from '../smart/accounts/registered.ts';
import type { Flag } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import { displayName, partitionId } from '../config/values.ts';
import { listed } from './accounts.ts';
import type { Opened } from './open.ts';

/** The properties of a user. */
export const userFlags = [
  { flag: 'name', value: 'TEXT', read: displayName, meaning: 'Display name; default: the ID' },
  {
    flag: 'partitions',
    value: 'IDS',
    read: listed(partitionId),
    repeats: true,
    meaning: 'The partitions in which the user may sign in',
  },
  {
    flag: 'fhir-user',
    value: '[PARTITION=]TYPE/ID',
    read: personIn,
    repeats: true,
    meaning: 'The resource that represents the user, in one partition or in all',
  },
] as const satisfies readonly Flag[];

/** Throws ConfigError for a resource in a partition that is not among those of the user. */
export function requireKnown(people: readonly Person[], partitions: readonly string[]): void {
  const astray = people.find(({ partition }) => partition !== undefined && !partitions.includes(partition));
  if (astray !== undefined)
    throw new ConfigError([`\`--fhir-user\` names \`${astray.partition}\`, which is not among \`--partitions\`.`]);
}

/** The record may be added later: until then apps that read the user's own record get 404. */
export async function warnOfNobody(
  { store }: Pick<Opened, 'store'>,
  { id, fhirUser }: RegisteredUser['partitions'][number],
): Promise<void> {
  const [type, record] = (fhirUser ?? '').split('/');
  if (type === undefined || record === undefined) return;
  const partition = await store.partition(id);
  if (partition === undefined || (await partition.read(type, record))?.text !== undefined) return;
  console.error(
    `Warning: \`${fhirUser}\` is not in \`${id}\`. Until it is loaded, apps that read the user's own record get 404, ` +
      'and searches limited to the user find nothing.',
  );
}

/** A value of `--fhir-user`; without a partition it is for all. */
export interface Person {
  readonly partition: string | undefined;
  readonly reference: string;
}

function personIn(text: string): Person {
  const [, partition, reference = ''] = /^(?:([^=/]+)=)?(.*)$/.exec(text) ?? [];
  return { partition: partition === undefined ? undefined : partitionId(partition), reference: fhirUser(reference) };
}

/** A value for the partition has priority over a general one. */
export const personOf = (people: readonly Person[], partition: string): string | undefined =>
  (people.find(person => person.partition === partition) ?? people.find(person => person.partition === undefined))
    ?.reference;
