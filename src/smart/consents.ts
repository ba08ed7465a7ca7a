import type { DocumentStore } from '../store/documents.ts';
import type { StandsOn } from '../auth/token/revocations.ts';
import type { Launch } from './registered.ts';

/** What a user agreed to, on which codes and tokens of an app stand. */
export interface Consent {
  readonly client: string;
  readonly user: string;
  readonly partition: string;
  /** The base URL of the partition. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** Reference to the resource of the user in the partition. */
  readonly fhirUser?: string | undefined;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
  /** What an EHR said that started the app. */
  readonly launch?: Launch | undefined;
  /** Id of the sign-in in which it was given. */
  readonly session: string;
  /** Milliseconds since 1970 UTC. */
  readonly issued: number;
}

/** Where they are kept by their ids, which are no secrets: `store.documents(consentCollection)`. */
export const consentCollection = 'consents';

export const findConsent = async (consents: DocumentStore, id: string | undefined): Promise<Consent | undefined> =>
  id === undefined ? undefined : ((await consents.get(id)) as Consent | undefined); // only conversations.ts writes it

/** What ends a consent: signing out too, unless it is to go on after the user has left. */
export const consentStandsOn = (id: string, consent: Consent): StandsOn & { readonly session: string | undefined } => {
  const { client, user, partition, session } = consent;
  return { grant: id, client, user, partition, session: isOffline(consent) ? undefined : session };
};

/** True where refresh tokens of it go on after the user has left. */
export const isOffline = ({ scopes }: Pick<Consent, 'scopes'>): boolean => scopes.includes('offline_access');

/** The `fhirUser` as apps are told it. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data */
export const fhirUserUrl = ({ audience, fhirUser }: Pick<Consent, 'audience' | 'fhirUser'>): string | undefined =>
  fhirUser === undefined ? undefined : `${audience}/${fhirUser}`;

/** What apps are told of the launch. https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#launch-context-arrives-with-your-access_token */
export function contextOf({ patient, launch }: Consent): Readonly<Record<string, unknown>> {
  const encounter = launch?.encounter;
  const intent = launch?.intent;
  return {
    ...(patient === undefined ? {} : { patient, need_patient_banner: launch?.needPatientBanner ?? true }),
    ...(encounter === undefined ? {} : { encounter }),
    ...(intent === undefined ? {} : { intent }),
  };
}
