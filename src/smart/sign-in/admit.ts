import { ownerType } from '../../auth/owned-by.ts';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { takeLaunch } from './launches.ts';
import { ScopeRefused, narrowForUser, negotiated } from '../scope/negotiate.ts';
import type { Progress } from './progress.ts';
import type { RegisteredClient, RegisteredUser } from '../accounts/registered.ts';

/** The parameters of an authorization request. */
export interface AuthorizationParameters {
  readonly client: RegisteredClient;
  readonly partition: string;
  readonly scopes: readonly string[];
  /** The launch token of an EHR. */
  readonly launch: string | undefined;
}

/** The reason why a user cannot grant the request. */
export interface AdmissionRefusal {
  readonly error: 'access_denied' | 'invalid_scope' | 'invalid_request';
  readonly description: string;
}

/**
 * Continues a request after the user has signed in: returns the scopes that can be granted, and the patient in context
 * if the launch or the user determines it. Consumes the launch token.
 */
export async function admit(
  { client, partition, scopes, launch: value }: AuthorizationParameters,
  user: RegisteredUser,
  before: Progress,
  { store, model }: { readonly store: Pick<Store, 'documents'>; readonly model: Model },
): Promise<Progress | AdmissionRefusal> {
  const place = user.partitions.find(({ id }) => id === partition);
  if (place === undefined) return { error: 'access_denied', description: 'The user may not use this partition.' };
  const { fhirUser } = place;
  let granted;
  try {
    granted = narrowForUser(negotiated(scopes), { fhirUser, model });
  } catch (error) {
    if (error instanceof ScopeRefused) return { error: 'invalid_scope', description: error.message };
    throw error;
  }
  let { launch } = before;
  if (value !== undefined && launch?.user !== user.id) {
    launch = await takeLaunch(store, value, { client: client.id, user: user.id, partition });
    if (launch === undefined) return launchOfAnotherUser;
  }
  const own = ownId(fhirUser, model);
  const patient = launch?.patient ?? (granted.needsPatient ? own : undefined);
  if (own !== undefined && patient !== undefined && patient !== own) return launchOfAnotherUser;
  const { began } = before;
  return { began, user: user.id, fhirUser, scopes: granted.scopes, launch, patient };
}

const launchOfAnotherUser: AdmissionRefusal = {
  error: 'invalid_request',
  description: "The value of 'launch' is unknown, was used before, has expired or is for another user.",
};

/** The id of a user who is a patient, and thus the only patient that this user can choose. */
function ownId(fhirUser: string | undefined, model: Model): string | undefined {
  const [type, id] = (fhirUser ?? '').split('/');
  return type !== undefined && type === ownerType(model) ? id : undefined;
}
