import { randomBytes } from 'node:crypto';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { ScopeRefused, negotiated } from '../scope/negotiate.ts';
import { issuerPath } from '../../auth/offered.ts';
import { providerRequest } from '../provider/provider-request.ts';
import type { RegisteredUser, Registry } from '../accounts/registered.ts';
import { admit } from './admit.ts';
import type { AdmissionRefusal, AuthorizationParameters } from './admit.ts';
import { consentCollection } from './consents.ts';
import type { Consent } from './consents.ts';
import type { Conversations, ConversationStep, Exchange } from './conversation.ts';
import { isRegisteredRedirect, partitionOf } from './addresses.ts';
import type { Progress, ProgressStore } from './progress.ts';
import type { Session } from './session.ts';

/** Path below the public URL; the pages of a request are under its id. */
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
  /** The session, by the cookie of the request or the one that the answer sets. */
  readonly session: (exchange: Exchange) => Promise<Session | undefined>;
  /** How long the tokens of a consent can last, including those of the last refresh; milliseconds. */
  readonly consentLifetime: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** The document of oidc-provider about the request, with the request itself. */
interface Details extends AuthorizationParameters {
  readonly audience: string;
  readonly redirectUri: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Authorization requests that wait for their users. A cookie of oidc-provider binds each to the browser in which it
 * began.
 */
export function createConversations(parts: ConversationsParts): Conversations {
  const { store, registry, publicUrl, progress, now } = parts;
  const consents = store.documents(consentCollection);
  const pageOf = (uid: string): string => `${publicUrl}${interactionPath}/${uid}`;

  const details = async (uid: string, exchange: Exchange) => {
    const provider = await parts.provider();
    const seen = providerRequest(exchange.request, publicUrl, `/interaction/${uid}`);
    const found = await provider.interactionDetails(seen, exchange.response).catch(ignoreMissing);
    if (found?.uid !== uid) return undefined;
    const { client_id: id, redirect_uri: back, resource, scope, launch } = found.params;
    const client = await registry.client(String(id));
    const audience = String(resource);
    const partition = await partitionOf(audience, { store, publicUrl });
    if (client === undefined || partition === undefined || !client.partitions.includes(partition)) return undefined;
    const redirectUri = String(back);
    if (!isRegisteredRedirect(client.redirectUris, redirectUri)) return undefined;
    const scopes = typeof scope === 'string' ? scope.split(' ') : [];
    const value = typeof launch === 'string' ? launch : undefined;
    const { params } = found;
    return { client, partition, audience, redirectUri, scopes, launch: value, params } satisfies Details;
  };

  const finish = async (uid: string, result: InteractionResults, exchange: Exchange): Promise<string> => {
    const provider = await parts.provider();
    const seen = providerRequest(exchange.request, publicUrl, `/interaction/${uid}`);
    return provider.interactionResult(seen, exchange.response, result, { mergeWithLastSubmission: false });
  };
  const refuse = (uid: string, refusal: AdmissionRefusal, exchange: Exchange): Promise<string> =>
    finish(uid, { error: refusal.error, error_description: refusal.description.replaceAll('`', "'") }, exchange);

  /** The state of the request for the user who is signed in in this browser. */
  const stateOf = async (uid: string, asked: Details, exchange: Exchange) => {
    const before = await progress.read(uid);
    const session = await parts.session(exchange);
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
    async find(uid, exchange) {
      const asked = await details(uid, exchange);
      if (asked === undefined) return undefined;
      const { state, user } = await stateOf(uid, asked, exchange);
      const scopes = state.scopes ?? asked.scopes;
      const { client, partition, redirectUri, params } = asked;
      const { fhirUser, launch, patient } = state;
      const languages = typeof params['ui_locales'] === 'string' ? params['ui_locales'].split(' ') : [];
      const step: ConversationStep =
        user === undefined
          ? 'sign-in'
          : patient === undefined && negotiated(scopes).needsPatient
            ? 'patient'
            : 'consent';
      return { uid, client, partition, redirectUri, scopes, launch, user, fhirUser, patient, step, languages };
    },
    async signedIn({ uid }, user, exchange) {
      const asked = await details(uid, exchange);
      if (asked === undefined) return pageOf(uid); // the page says that it has expired
      const before = withoutUser(await progress.read(uid));
      const next = await admit(asked, user, before, parts);
      if ('error' in next) return refuse(uid, next, exchange);
      await progress.write(uid, next);
      return pageOf(uid);
    },
    async patientChosen({ uid }, patient, exchange) {
      const asked = await details(uid, exchange);
      const found = asked && (await stateOf(uid, asked, exchange));
      // The patient may be changed until the user consents, unless the EHR names one.
      if (found?.user !== undefined && found.state.launch?.patient === undefined)
        await progress.write(uid, { ...found.state, patient });
      return pageOf(uid);
    },
    async consented({ uid }, agreed, exchange) {
      const issued = now(); // before the user is looked up, so that a concurrent revocation covers this consent
      const asked = await details(uid, exchange);
      const found = asked && (await stateOf(uid, asked, exchange));
      if (asked === undefined || found?.user === undefined) return pageOf(uid);
      const { state, session, user } = found;
      const offered = state.scopes ?? [];
      try {
        const { scopes, needsPatient } = negotiated(offered.filter(scope => agreed.includes(scope)));
        if (needsPatient && state.patient === undefined) return pageOf(uid);
        if (scopes.length === 0) return refuse(uid, nothingAllowed, exchange);
        const grantId = randomBytes(16).toString('base64url');
        const consent = consentOf(asked, state, scopes, user, session.id, issued);
        await consents.put(grantId, consent, { expires: issued + parts.consentLifetime });
        // Each of these satisfies a `prompt`.
        const login = { accountId: user.id, remember: false, ts: Math.floor(session.began / 1000) };
        return finish(uid, { login, consent: { grantId }, select_account: {} }, exchange);
      } catch (error) {
        if (!(error instanceof ScopeRefused)) throw error;
        return refuse(uid, { error: 'invalid_scope', description: error.message }, exchange);
      }
    },
    refused: ({ uid }, error, description, exchange) => refuse(uid, { error, description }, exchange),
  };
}

/** Undefined for a request that has expired, or belongs to another browser. */
function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'SessionNotFound')) throw error;
}

const nothingAllowed: AdmissionRefusal = {
  error: 'access_denied',
  description: 'The user allowed none of the permissions.',
};

/** The progress without the user. The launch stays, since its token is consumed. */
const withoutUser = ({ began, launch }: Progress): Progress => ({ began, launch });

/**
 * False if the app requires the user to sign in again.
 * https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest
 */
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
