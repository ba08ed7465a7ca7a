import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Launch, RegisteredClient, RegisteredUser } from './registered.ts';

/** What is asked next of the person in front of the browser. */
export type ConversationStep = 'sign-in' | 'patient' | 'consent';

/** An authorization request that waits for its user. */
export interface Conversation {
  readonly uid: string;
  readonly client: RegisteredClient;
  /** Id of the partition that the token will be for. */
  readonly partition: string;
  /** What is asked for, as far as it can be granted. */
  readonly scopes: readonly string[];
  /** What the EHR said, for a launch from there. */
  readonly launch: Launch | undefined;
  /** Undefined until somebody has signed in who may use the partition. */
  readonly user: RegisteredUser | undefined;
  /** Reference to the resource of the user in the partition. */
  readonly fhirUser: string | undefined;
  /** Id of the patient in context, once it is known. */
  readonly patient: string | undefined;
  readonly step: ConversationStep;
  /** Languages that the app asks for (`ui_locales`), best first. */
  readonly languages: readonly string[];
}

/** What pages ask and tell of authorization requests. What gives a URL gives the one to which the browser goes next. */
export interface Conversations {
  /** By its id and the cookie of the request; undefined where it is over, or is that of another browser. */
  find(uid: string, request: IncomingMessage, response: ServerResponse): Promise<Conversation | undefined>;
  /** Somebody signed in: the session is begun by then, and its cookie is on the response. */
  signedIn(of: Conversation, user: RegisteredUser, request: IncomingMessage, response: ServerResponse): Promise<string>;
  /** A patient was chosen, who was visible to the user. */
  patientChosen(of: Conversation, patient: string, request: IncomingMessage, response: ServerResponse): Promise<string>;
  /** The user agreed to these of the scopes (all that the app cannot do without are among them). */
  consented(
    of: Conversation,
    scopes: readonly string[],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<string>;
  /** The user said no (`access_denied`), or nothing can be granted (`invalid_scope`). */
  refused(
    of: Conversation,
    error: 'access_denied' | 'invalid_scope',
    description: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<string>;
}
