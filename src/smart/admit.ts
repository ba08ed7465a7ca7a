import { ownerType } from '../auth/owned-by.ts';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { takeLaunch } from './launches.ts';
import { ScopeRefused, narrowForUser, negotiated } from './negotiate.ts';
import type { Progress } from './progress.ts';
import type { RegisteredClient, RegisteredUser } from './registered.ts';

/** What an app asks for. */
export interface Asked {
  readonly client: RegisteredClient;
  readonly partition: string;
  readonly scopes: readonly string[];
  /** The launch value of an EHR. */
  readonly launch: string | undefined;
}

/** Why a user cannot grant it. */
export interface Refusal {
  readonly error: 'access_denied' | 'invalid_scope' | 'invalid_request';
  readonly description: string;
}

/**
 * How a request goes on for somebody who has signed in: what can be granted, and the patient in context where the launch or the
 * user tells who that is. A launch value is used up by it.
 */
export async function admit(
  { client, partition, scopes, launch: value }: Asked,
  user: RegisteredUser,
  before: Progress,
  { store, model }: { readonly store: Pick<Store, 'documents'>; readonly model: Model },
): Promise<Progress | Refusal> {
  const place = user.partitions.find(({ id }) => id === partition);
  if (place === undefined) return { error: 'access_denied', description: 'The user may not use this partition.' };
  const { fhirUser } = place;
  let granted;
  try {
    granted = narrowForUser(negotiated(scopes), { fhirUser });
  } catch (error) {
    if (error instanceof ScopeRefused) return { error: 'invalid_scope', description: error.message };
    throw error;
  }
  let { launch } = before;
  if (value !== undefined && launch?.user !== user.id) {
    launch = await takeLaunch(store, value, { client: client.id, user: user.id, partition });
    if (launch === undefined) return notTheirs;
  }
  const own = ownId(fhirUser, model);
  const patient = launch?.patient ?? (granted.needsPatient ? own : undefined);
  if (own !== undefined && patient !== undefined && patient !== own) return notTheirs;
  const { began } = before;
  return { began, user: user.id, fhirUser, scopes: granted.scopes, launch, patient };
}

const notTheirs: Refusal = {
  error: 'invalid_request',
  description: "The value of 'launch' is unknown here, was used before, has expired or is for another user.",
};

/** The id of a user who is a patient, and so the only patient whom that user can choose. */
function ownId(fhirUser: string | undefined, model: Model): string | undefined {
  const [type, id] = (fhirUser ?? '').split('/');
  return type !== undefined && type === ownerType(model) ? id : undefined;
}
