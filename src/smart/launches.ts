import { randomBytes } from 'node:crypto';
import type { Store } from '../store/store.ts';
import { digestOf } from '../auth/token/digest.ts';
import { isFirst } from './once.ts';
import type { Launch } from './registered.ts';

/** Whoever uses a launch value. */
export interface LaunchUser {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
}

/** How long a launch value lives, in milliseconds, and what time it is. */
interface Times {
  readonly lifetime?: number;
  readonly now?: () => number;
}

const usualLifetime = 300_000;

/**
 * Makes a launch value for a client, a user and a partition, good once and for five minutes unless said otherwise. It is kept by
 * its digest. https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#launch-app-ehr-launch
 */
export async function createLaunch(
  store: Pick<Store, 'documents'>,
  launch: Launch,
  { lifetime = usualLifetime, now = Date.now }: Times = {},
): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const expires = now() + lifetime;
  await store.documents('launches').put(digestOf(value), { launch, expires } satisfies KeptLaunch, expires);
  return value;
}

/** What a launch value stands for, without using it; undefined where it is unknown, used or over. */
export async function findLaunch(store: Pick<Store, 'documents'>, value: string): Promise<Launch | undefined> {
  return (await find(store, digestOf(value)))?.launch;
}

/**
 * Uses a launch value: undefined where it is unknown, over, was used before in any process, or is that of another client, user or
 * partition, which leaves it as it is.
 */
export async function takeLaunch(
  store: Pick<Store, 'documents'>,
  value: string,
  { client, user, partition }: LaunchUser,
): Promise<Launch | undefined> {
  const digest = digestOf(value);
  const kept = await find(store, digest);
  if (kept === undefined) return undefined;
  const { launch, expires } = kept;
  if (launch.client !== client || launch.user !== user || launch.partition !== partition) return undefined;
  // Known longer than the value is good, so that no clock makes it good again.
  if (!(await isFirst(store.documents('launches-used'), digest, expires + 60_000))) return undefined;
  await store.documents('launches').delete(digest);
  return launch;
}

interface KeptLaunch {
  readonly launch: Launch;
  readonly expires: number;
}

async function find(store: Pick<Store, 'documents'>, digest: string): Promise<KeptLaunch | undefined> {
  const used = await store.documents('launches-used').get(digest);
  if (used !== undefined) return undefined;
  return (await store.documents('launches').get(digest)) as KeptLaunch | undefined; // createLaunch writes it
}
