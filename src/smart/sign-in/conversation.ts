import type { PageVisit } from '../../pages/visit.ts';
import type { Launch, RegisteredClient, RegisteredUser } from '../accounts/registered.ts';

/** The next page of an authorization request. */
export type ConversationStep = 'sign-in' | 'patient' | 'consent';

/** A request of a page and its answer, with their cookies. */
export type Exchange = Pick<PageVisit, 'request' | 'response'>;

/** An authorization request that waits for its user. */
export interface Conversation {
  readonly uid: string;
  readonly client: RegisteredClient;
  /** Id of the partition that the token will be for. */
  readonly partition: string;
  /** Where the browser is sent with the answer. */
  readonly redirectUri: string;
  /** The requested scopes that can be granted. */
  readonly scopes: readonly string[];
  /** The launch by an EHR. */
  readonly launch: Launch | undefined;
  /** Undefined until a user who may use the partition has signed in. */
  readonly user: RegisteredUser | undefined;
  /** Reference to the resource that represents the user in the partition. */
  readonly fhirUser: string | undefined;
  /** Id of the patient in context, once it is known. */
  readonly patient: string | undefined;
  readonly step: ConversationStep;
  /** Languages that the app asks for (`ui_locales`), best first. */
  readonly languages: readonly string[];
}

/**
 * The state of authorization requests, as pages read and change it. A URL that is returned is the browser's next
 * address.
 */
export interface Conversations {
  /**
   * Finds a conversation by its id and the cookie of the request; undefined if it has expired or belongs to another
   * browser.
   */
  find(uid: string, exchange: Exchange): Promise<Conversation | undefined>;
  /** Records that a user signed in: the session exists, and its cookie is on the response. */
  signedIn(of: Conversation, user: RegisteredUser, exchange: Exchange): Promise<string>;
  /** Records the choice of a patient, whom the user may see. */
  patientChosen(of: Conversation, patient: string, exchange: Exchange): Promise<string>;
  /** Records the consent to these scopes, which include all that are required. */
  consented(of: Conversation, scopes: readonly string[], exchange: Exchange): Promise<string>;
  /** Ends the request: the user declined (`access_denied`), or nothing can be granted (`invalid_scope`). */
  refused(
    of: Conversation,
    error: 'access_denied' | 'invalid_scope',
    description: string,
    exchange: Exchange,
  ): Promise<string>;
}
