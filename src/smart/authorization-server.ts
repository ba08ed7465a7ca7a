import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { createFetch } from '../fetch/fetch.ts';
import { networkOf } from '../fetch/network-of.ts';
import { makeOnce } from '../limits/cache.ts';
import { remember } from '../auth/token/remember.ts';
import { authorizationOffered } from '../auth/offered.ts';
import type { Buckets } from '../limits/token-buckets.ts';
import type { Endpoint } from './provider/endpoints.ts';
import { createClientKeys } from './token/client-keys.ts';
import { createConversations, longestConversation } from './sign-in/conversations.ts';
import type { ConversationsParts } from './sign-in/conversations.ts';
import type { Conversations } from './sign-in/conversation.ts';
import { parseForm, requireForm } from './provider/form.ts';
import { introspect, revokeToken, userInfo } from './token/issued-tokens.ts';
import { OAuthError } from './provider/oauth-error.ts';
import { usedKeyCollection } from './token/claim-once.ts';
import { createProgressStore } from './sign-in/progress.ts';
import { createProvider } from './provider/provider.ts';
import type { Granted, ProviderParts } from './provider/provider-parts.ts';
import { providerRequest } from './provider/provider-request.ts';
import type { SigningKeys } from './token/signing-keys.ts';
import { hasShown, tokenRequest } from './token/token-endpoint.ts';
import { audiencesOf } from './sign-in/addresses.ts';

export interface AuthorizationServerParts
  extends Omit<ProviderParts, 'granted' | 'narrowed'>, Pick<ConversationsParts, 'session'> {
  readonly keys: SigningKeys;
  /** In a demonstration, client keys may be on this machine over plain http. */
  readonly demo: boolean;
  /** The body of a request as text; throws the error to return if it is too large or too slow. */
  readonly readBody: (request: IncomingMessage, response: ServerResponse) => Promise<string>;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** Longest form of an authorization request by POST. */
  readonly longestQuery: number;
  /** Each authorization request costs its network a token. */
  readonly rateLimit: Buckets;
  readonly report: ReportTokenEvent;
}

/** The endpoints for clients, and the conversations behind the pages. */
export interface AuthorizationServer {
  /**
   * Answers a request under one of `endpoints`, or returns the answer to send. `query` is the text after the `?`, or
   * the value of `:uid`. Throws OAuthError, and internal errors.
   */
  handle(
    endpoint: Endpoint,
    query: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<JsonAnswer | undefined>;
  readonly conversations: Conversations;
}

/** A JSON answer. */
export interface JsonAnswer {
  readonly body: unknown;
}

/**
 * The authorization server of the service. Its state is only in the store, so that all processes agree. oidc-provider
 * is imported at its first use.
 */
export function createAuthorizationServer(parts: AuthorizationServerParts): AuthorizationServer {
  const { store, model, publicUrl, lifetimes, now, demo, readBody, clientAddress, rateLimit, report } = parts;
  const { issuer, tokenEndpoint } = authorizationOffered(model, publicUrl);
  const fetch = createFetch({
    addresses: demo ? 'loopback' : 'public',
    plain: demo,
    authorities: undefined,
    bytes: 64 * 1024,
    time: 5_000,
  });
  const once = store.documents(usedKeyCollection);
  const forClients = { ...parts, issuer, tokenEndpoint, once, keys: createClientKeys(fetch, now) };

  const granted: Granted = new WeakMap();
  const narrowed: ProviderParts['narrowed'] = new WeakMap();
  const keysNow = remember(() => parts.keys.refresh(), { keep: 10_000, keepFailure: 1_000 }, now);
  let made: { readonly keys: SigningKeys; readonly provider: () => Promise<Provider> } | undefined;
  const provider = async (): Promise<Provider> => {
    const keys = await keysNow(); // another object once the keys have changed
    if (made?.keys !== keys) {
      made = { keys, provider: makeOnce(() => createProvider({ ...parts, granted, narrowed }, keys.jwks)) };
    }
    return made.provider();
  };
  const forward = async (path: string, request: IncomingMessage, response: ServerResponse, body?: string) => {
    const answer = (await provider()).callback();
    await answer(providerRequest(request, publicUrl, path, body), response);
    return undefined;
  };
  const authorize = async (query: string, request: IncomingMessage, response: ServerResponse) => {
    const { retryAfter } = rateLimit.take(networkOf(clientAddress(request)), 1);
    if (retryAfter !== undefined) {
      const why = 'Too many authorization requests from this address. Retry later.';
      throw new OAuthError('temporarily_unavailable', why, 429, { 'Retry-After': String(retryAfter) });
    }
    return forward(`/authorize?${authorizeQuery(new URLSearchParams(query)).toString()}`, request, response);
  };
  /** The form of a POST, which may be as long as the query of a GET. */
  const authorizeForm = async (request: IncomingMessage, response: ServerResponse): Promise<string> => {
    requireForm(request.headers['content-type']);
    const form = await readBody(request, response);
    if (form.length > parts.longestQuery) throw new OAuthError('invalid_request', 'The request is too long.', 413);
    return form;
  };

  const token = async (request: IncomingMessage, response: ServerResponse): Promise<JsonAnswer | undefined> => {
    const form = parseForm(request.headers['content-type'], await readBody(request, response));
    const grantType = form.get('grant_type');
    const asked = await tokenRequest(form, request.headers.authorization, forClients);
    if (asked.kind === 'answered') {
      const { scope, audience } = asked.answer.grant;
      const client = asked.client.id;
      report({ what: 'issued', status: 200, grantType, client, scope, audience }, request, response);
      return { body: asked.answer.body };
    }
    if (asked.scope !== undefined) narrowed.set(response, asked.scope);
    await forward('/token', request, response, asked.body);
    const { statusCode: status } = response;
    const { scope, error, consent } = granted.get(response) ?? {};
    const { user, patient, audience } = consent ?? {};
    const what = status === 200 ? 'issued' : 'refused';
    const client = what === 'issued' || (await hasShown(asked.client, form, parts)) ? asked.client.id : undefined;
    report({ what, status, error, grantType, client, user, patient, audience, scope }, request, response);
    return undefined;
  };
  const revocation = async (request: IncomingMessage, response: ServerResponse): Promise<JsonAnswer> => {
    const form = parseForm(request.headers['content-type'], await readBody(request, response));
    const { client, ended } = await revokeToken(form, request.headers.authorization, forClients);
    if (ended !== undefined) report({ what: 'revoked', status: 200, client: client.id, ...ended }, request, response);
    return { body: {} };
  };

  const introspection = async (request: IncomingMessage, response: ServerResponse) => {
    const form = parseForm(request.headers['content-type'], await readBody(request, response));
    return introspect(form, request.headers.authorization, forClients);
  };

  return {
    async handle(endpoint, query, request, response) {
      switch (endpoint) {
        case '/authorize':
          return authorize(
            request.method === 'POST' ? await authorizeForm(request, response) : query,
            request,
            response,
          );
        case '/authorize/:uid':
          return forward(`/authorize/${query}`, request, response);
        case '/token':
          return withClientOfError(token(request, response), report, request, response);
        case '/introspect':
          return { body: await introspection(request, response) };
        case '/revoke':
          return withClientOfError(revocation(request, response), report, request, response);
        case '/userinfo':
          return { body: await userInfo(request.headers.authorization, parts) };
        case '/jwks':
          return { body: (await keysNow()).publicJwks };
        default:
          return endpoint satisfies never;
      }
    },
    conversations: createConversations({
      ...parts,
      provider,
      progress: createProgressStore(store.documents('conversations'), longestConversation, now),
      consentLifetime: lifetimes.refreshLifetime + lifetimes.appTokenLifetime,
    }),
  };
}

/** The error of a client that may not have authenticated. */
async function withClientOfError<T>(
  work: Promise<T>,
  report: ReportTokenEvent,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OAuthError) {
      const { code, status, client } = error;
      report({ what: 'refused', status, error: code, client }, request, response);
    }
    throw error;
  }
}

/**
 * The query of an authorization request for oidc-provider: `aud` becomes `resource`, without a trailing slash; scopes
 * are separated by one space; the answer is always in the query of the redirect URI.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#obtain-authorization-code
 */
function authorizeQuery(query: URLSearchParams): URLSearchParams {
  const audiences = audiencesOf([...query.getAll('aud'), ...query.getAll('resource')]);
  const others = [...query].filter(([name]) => name !== 'aud' && name !== 'resource');
  const normal = new URLSearchParams(
    others.map(([name, value]) => [name, name === 'scope' ? value.replace(/ +/g, ' ').replace(/^ | $/g, '') : value]),
  );
  // Several audiences name no partition: joined, they are rejected.
  if (audiences.length > 0) normal.set('resource', audiences.join(' '));
  const mode = normal.get('response_mode');
  if (mode !== null && mode !== 'query') normal.set('response_mode', 'unsupported');
  return normal;
}

/** Receives the results of token requests. */
type ReportTokenEvent = (event: TokenEvent, request: IncomingMessage, response: ServerResponse) => void;

/** The result of a request for a token, or of a revocation. */
export interface TokenEvent {
  readonly what: 'issued' | 'refused' | 'revoked';
  /** HTTP status of the answer. */
  readonly status: number;
  /** The reason of a refusal. */
  readonly error?: string | undefined;
  readonly grantType?: string | undefined;
  readonly scope?: string | undefined;
  /** Undefined if the client has not authenticated. */
  readonly client?: string | undefined;
  readonly user?: string | undefined;
  /** Id of the patient in context. */
  readonly patient?: string | undefined;
  /** The base URL of the partition. */
  readonly audience?: string | undefined;
}
