import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { Model } from '../model/model.ts';
import type { Store } from '../store/store.ts';
import { admit } from './admit.ts';
import type { Asked, Refusal } from './admit.ts';
import { consentCollection } from './consents.ts';
import type { Consent } from './consents.ts';
import type { Conversations, ConversationStep } from './conversation.ts';
import { ScopeRefused, negotiated } from './negotiate.ts';
import { issuerPath } from './offered.ts';
import { partitionOf } from './partition-of.ts';
import type { Progress, ProgressStore } from './progress.ts';
import { providerRequest } from './provider-request.ts';
import type { RegisteredUser, Registry } from './registered.ts';
import type { Session } from './session.ts';

/** Below the public URL: the pages of a request are under its id. */
export const interactionPath = `${issuerPath}/interaction`;

/** How long a request may wait for its user, in milliseconds. */
export const longestConversation = 3_600_000;

export interface ConversationsParts {
  readonly provider: () => Promise<Provider>;
  readonly store: Pick<Store, 'documents' | 'partition'>;
  readonly model: Model;
  readonly publicUrl: string;
  readonly registry: Registry;
  readonly progress: ProgressStore;
  /** Who is signed in, by the cookie of the request or the one that the answer sets. */
  readonly session: (request: IncomingMessage, response: ServerResponse) => Promise<Session | undefined>;
  /** How long what a consent gives can last: tokens after the last refresh included; milliseconds. */
  readonly consentLifetime: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** What oidc-provider keeps of the request, with the request itself. */
interface Details extends Asked {
  readonly audience: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Authorization requests that wait for their users. Each is bound to the browser in which it began, by a cookie of oidc-provider. */
export function createConversations(parts: ConversationsParts): Conversations {
  const { store, registry, publicUrl, progress, now } = parts;
  const consents = store.documents(consentCollection);
  const pageOf = (uid: string): string => `${publicUrl}${interactionPath}/${uid}`;

  const details = async (uid: string, request: IncomingMessage, response: ServerResponse) => {
    const provider = await parts.provider();
    const seen = providerRequest(request, publicUrl, `/interaction/${uid}`);
    const found = await provider.interactionDetails(seen, response).catch(overOrElsewhere);
    if (found?.uid !== uid) return undefined;
    const { client_id: id, redirect_uri: back, resource, scope, launch } = found.params;
    const client = await registry.client(String(id));
    const audience = String(resource);
    const partition = await partitionOf(audience, { store, publicUrl });
    if (client === undefined || partition === undefined || !client.partitions.includes(partition)) return undefined;
    if (!client.redirectUris.includes(String(back))) return undefined;
    const scopes = typeof scope === 'string' ? scope.split(' ') : [];
    const value = typeof launch === 'string' ? launch : undefined;
    return { client, partition, audience, scopes, launch: value, params: found.params } satisfies Details;
  };

  const finish = async (
    uid: string,
    result: InteractionResults,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<string> => {
    const provider = await parts.provider();
    const seen = providerRequest(request, publicUrl, `/interaction/${uid}`);
    return provider.interactionResult(seen, response, result, { mergeWithLastSubmission: false });
  };
  const refuse = (uid: string, refusal: Refusal, request: IncomingMessage, response: ServerResponse): Promise<string> =>
    finish(
      uid,
      { error: refusal.error, error_description: refusal.description.replaceAll('`', "'") },
      request,
      response,
    );

  /** How far the request is, for whoever is signed in in this browser. */
  const stateOf = async (uid: string, asked: Details, request: IncomingMessage, response: ServerResponse) => {
    const before = await progress.read(uid);
    const session = await parts.session(request, response);
    const user = session && (await registry.user(session.user));
    if (session === undefined || user === undefined || !isRecent(session, asked.params, before, now()))
      return { state: withoutUser(before), session: undefined, user: undefined };
    if (before.user === user.id) return { state: before, session, user };
    const next = await admit(asked, user, withoutUser(before), parts);
    if ('error' in next) return { state: withoutUser(before), session: undefined, user: undefined };
    await progress.write(uid, next);
    return { state: next, session, user };
  };

  return {
    async find(uid, request, response) {
      const asked = await details(uid, request, response);
      if (asked === undefined) return undefined;
      const { state, user } = await stateOf(uid, asked, request, response);
      const scopes = state.scopes ?? asked.scopes;
      const { client, partition, params } = asked;
      const { fhirUser, launch, patient } = state;
      const languages = typeof params['ui_locales'] === 'string' ? params['ui_locales'].split(' ') : [];
      const step: ConversationStep =
        user === undefined
          ? 'sign-in'
          : patient === undefined && negotiated(scopes).needsPatient
            ? 'patient'
            : 'consent';
      return { uid, client, partition, scopes, launch, user, fhirUser, patient, step, languages };
    },
    async signedIn({ uid }, user, request, response) {
      const asked = await details(uid, request, response);
      if (asked === undefined) return pageOf(uid); // which says that it is over
      const before = withoutUser(await progress.read(uid));
      const next = await admit(asked, user, before, parts);
      if ('error' in next) return refuse(uid, next, request, response);
      await progress.write(uid, next);
      return pageOf(uid);
    },
    async patientChosen({ uid }, patient, request, response) {
      const asked = await details(uid, request, response);
      const found = asked && (await stateOf(uid, asked, request, response));
      // Also another one, until it is agreed to; but whom the EHR names stays.
      if (found?.user !== undefined && found.state.launch?.patient === undefined)
        await progress.write(uid, { ...found.state, patient });
      return pageOf(uid);
    },
    async consented({ uid }, agreed, request, response) {
      const issued = now(); // before anybody is looked up, so that what ends meanwhile ends this too
      const asked = await details(uid, request, response);
      const found = asked && (await stateOf(uid, asked, request, response));
      if (asked === undefined || found?.user === undefined) return pageOf(uid);
      const { state, session, user } = found;
      const offered = state.scopes ?? [];
      try {
        const { scopes, needsPatient } = negotiated(offered.filter(scope => agreed.includes(scope)));
        if (needsPatient && state.patient === undefined) return pageOf(uid);
        if (scopes.length === 0) return refuse(uid, nothingAgreed, request, response);
        const grantId = randomBytes(16).toString('base64url');
        await consents.put(
          grantId,
          consentOf(asked, state, scopes, user, session.id, issued),
          issued + parts.consentLifetime,
        );
        // Each of these says that what a `prompt` demands is done.
        const login = { accountId: user.id, remember: false, ts: Math.floor(session.began / 1000) };
        return finish(uid, { login, consent: { grantId }, select_account: {} }, request, response);
      } catch (error) {
        if (!(error instanceof ScopeRefused)) throw error;
        return refuse(uid, { error: 'invalid_scope', description: error.message }, request, response);
      }
    },
    refused: ({ uid }, error, description, request, response) => refuse(uid, { error, description }, request, response),
  };
}

/** Undefined for a request that is over, or that another browser began. */
function overOrElsewhere(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'SessionNotFound')) throw error;
}

const nothingAgreed: Refusal = { error: 'access_denied', description: 'The user agreed to nothing of it.' };

/** What is known without the user; what the EHR said stays, since its value is used up. */
const withoutUser = ({ began, launch }: Progress): Progress => ({ began, launch });

/** False where the app wants somebody to sign in anew. https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest */
function isRecent(
  { began }: Session,
  { prompt, max_age: age }: Readonly<Record<string, unknown>>,
  request: Progress,
  now: number,
): boolean {
  const words = typeof prompt === 'string' ? prompt.split(' ') : [];
  if (words.some(word => word === 'login' || word === 'select_account') && began < request.began) return false;
  return age === undefined || began >= request.began || now - began <= Number(age) * 1000;
}

function consentOf(
  { client, partition, audience }: Details,
  { fhirUser, patient, launch }: Progress,
  scopes: readonly string[],
  user: RegisteredUser,
  session: string,
  issued: number,
): Consent {
  return { client: client.id, user: user.id, partition, audience, scopes, fhirUser, patient, launch, session, issued };
}
