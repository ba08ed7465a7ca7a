import type { DocumentStore } from '../../store/port/documents.ts';
import type { RevocationTargets } from '../../auth/token/revocations.ts';
import type { Launch } from '../accounts/registered.ts';

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
