import { randomBytes } from 'node:crypto';
import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { claimOnce } from '../token/claim-once.ts';
import type { Launch } from '../accounts/registered.ts';

/** The user of a launch token. */
export interface LaunchUser {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
}

/** The lifetime of a launch token, in milliseconds, and the clock. */
interface Times {
  readonly lifetime?: number;
  readonly now?: () => number;
}

const usualLifetime = 300_000;

/**
 * Creates a launch token for a client, a user and a partition: single-use, and valid for five minutes unless `times`
 * says otherwise. The store has its digest.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#launch-app-ehr-launch
 */
export async function createLaunch(
  store: Pick<Store, 'documents'>,
  launch: Launch,
  { lifetime = usualLifetime, now = Date.now }: Times = {},
): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const expires = now() + lifetime;
  await store.documents('launches').put(digestOf(value), { launch, expires } satisfies KeptLaunch, { expires });
  return value;
}

/** Reads the launch of a token without consuming it; undefined if the token is unknown, used or expired. */
export async function findLaunch(store: Pick<Store, 'documents'>, value: string): Promise<Launch | undefined> {
  return (await find(store, digestOf(value)))?.launch;
}

/**
 * Consumes a launch token. Undefined if it is unknown, expired or used before in any process, or belongs to another
 * client, user or partition; the last case does not consume it.
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
  // Remembered longer than the token is valid, so that clock differences cannot make it valid again.
  if (!(await claimOnce(store.documents('launches-used'), digest, expires + 60_000))) return undefined;
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
  return (await store.documents('launches').get(digest)) as KeptLaunch | undefined; // only createLaunch writes it
}
