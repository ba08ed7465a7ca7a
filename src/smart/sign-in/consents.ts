import type { DocumentStore } from '../../store/port/documents.ts';
import { isRevoked, revocationCollection } from '../../auth/token/revocations.ts';
import type { RevocationTargets } from '../../auth/token/revocations.ts';
import type { Launch, Registry } from '../accounts/registered.ts';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { ScopeRefused, negotiateScopes } from '../scope/negotiate.ts';
import type { Sessions } from './session.ts';

/** The consent of a user, on which the codes and tokens of an app depend. */
export interface Consent {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
  /** The base URL of the partition. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Reference to the resource that represents the user in the partition. */
  readonly fhirUser?: string | undefined;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
  /** The launch by an EHR. */
  readonly launch?: Launch | undefined;
  /** Id of the session in which the user consented. */
  readonly session: string;
  /** Milliseconds since 1970 UTC. */
  readonly issued: number;
}

/** The collection of consents, by their ids, which are not secret: `store.documents(consentCollection)`. */
export const consentCollection = 'consents';

export const findConsent = async (consents: DocumentStore, id: string | undefined): Promise<Consent | undefined> =>
  id === undefined ? undefined : ((await consents.get(id)) as Consent | undefined); // only conversations.ts writes it

/** The revocations that end a consent: signing out is one, unless the consent has offline access. */
export const revocationTargetsOf = (
  id: string,
  consent: Consent,
): RevocationTargets & { readonly session: string | undefined } => {
  const { client, user, partition, session } = consent;
  return { grant: id, client, user, partition, session: isOffline(consent) ? undefined : session };
};

/** True if its refresh tokens stay valid after the user has signed out. */
export const isOffline = ({ scopes }: Pick<Consent, 'scopes'>): boolean => scopes.includes('offline_access');

/**
 * The `fhirUser` claim: an absolute URL.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data
 */
export const fhirUserUrl = ({ audience, fhirUser }: Pick<Consent, 'audience' | 'fhirUser'>): string | undefined =>
  fhirUser === undefined ? undefined : `${audience}/${fhirUser}`;

/**
 * The launch context in the token answer.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#launch-context-arrives-with-your-access_token
 */
export function contextOf({ patient, launch }: Consent): Readonly<Record<string, unknown>> {
  const encounter = launch?.encounter;
  const intent = launch?.intent;
  return {
    ...(patient === undefined ? {} : { patient, need_patient_banner: launch?.needPatientBanner ?? true }),
    ...(encounter === undefined ? {} : { encounter }),
    ...(intent === undefined ? {} : { intent }),
  };
}

export interface ConsentValidityParts {
  readonly store: Pick<Store, 'documents'>;
  readonly model: Model;
  readonly registry: Registry;
  readonly sessions: Pick<Sessions, 'isAlive'>;
  /** How long the refresh tokens of one consent are valid in total, in milliseconds. */
  readonly refreshLifetime: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Whether new tokens may be issued for a consent: it is not revoked, and client and user still have the rights.
 * `refresh`: for a refresh token, which ends with the session if only `online_access` was granted.
 */
export async function isConsentValid(
  id: string,
  consent: Consent,
  refresh: boolean,
  parts: ConsentValidityParts,
): Promise<boolean> {
  const { store, registry, sessions, refreshLifetime, now } = parts;
  if (await isRevoked(store.documents(revocationCollection), revocationTargetsOf(id, consent), consent.issued))
    return false;
  const [client, user] = await Promise.all([registry.client(consent.client), registry.user(consent.user)]);
  const place = user?.partitions.find(one => one.id === consent.partition);
  if (place === undefined || place.fhirUser !== consent.fhirUser) return false;
  if (client?.partitions.includes(consent.partition) !== true || !mayHave(client.scopes, consent, parts.model))
    return false;
  if (!refresh) return true;
  if (consent.issued + refreshLifetime <= now()) return false;
  return isOffline(consent) || sessions.isAlive(consent.session);
}

/** False if the client is now registered for fewer scopes, or the definitions have fewer. */
function mayHave(registered: readonly string[], { scopes, launch }: Consent, model: Model): boolean {
  try {
    const context = { launch: scopes.includes('launch'), encounter: launch?.encounter !== undefined };
    const rules = { model, registered, flow: 'app', ...context } as const;
    const still = new Set(negotiateScopes(scopes.join(' '), rules).scopes);
    return scopes.every(scope => still.has(scope));
  } catch (error) {
    if (error instanceof ScopeRefused) return false;
    throw error;
  }
}
