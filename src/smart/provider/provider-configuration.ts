import type { Configuration, errors as providerErrors, interactionPolicy as policy } from 'oidc-provider';
import { StoreUnavailable } from '../../store/port/errors.ts';
import { createAdapter } from './adapter.ts';
import type { AdapterParts } from './adapter.ts';
import { consentCollection, fhirUserUrl, findConsent } from '../sign-in/consents.ts';
import { interactionPath, longestConversation } from '../sign-in/conversations.ts';
import { audienceMismatch, redirectMismatch } from '../sign-in/addresses.ts';
import type { ProviderParts } from './provider-parts.ts';
import { originalOf } from './provider-request.ts';
import { scopeOf } from '../scope/requested-scope.ts';
import type { SigningKeys } from '../token/signing-keys.ts';

/** The parts of the oidc-provider package, which is imported at its first use. */
export interface ProviderModule {
  readonly errors: typeof providerErrors;
  readonly interactionPolicy: typeof policy;
}

/** The cookie of oidc-provider's own session, which is not stored: session.ts is the only session. */
export const sessionCookie = 'crs_none';

/** The configuration of oidc-provider: the features in use; all others are off. `succeed` is that of the adapter. */
export function providerConfiguration(
  parts: ProviderParts,
  keys: SigningKeys['jwks'],
  { errors, interactionPolicy }: ProviderModule,
  succeed: AdapterParts['succeed'],
): Configuration {
  const { publicUrl, store, registry, lifetimes, cookieSecret } = parts;
  const { Prompt, Check } = interactionPolicy;
  const consents = store.documents(consentCollection);
  const wrongRedirect = async (params: Readonly<Record<string, unknown>> = {}): Promise<string | undefined> => {
    const client = await registry.client(String(params['client_id']));
    return client && redirectMismatch(String(params['redirect_uri']), client);
  };
  const prefix = publicUrl.startsWith('https:') ? '__Secure-' : ''; // they have paths, which `__Host-` does not allow
  return {
    adapter: createAdapter({ ...parts, refreshLifetime: lifetimes.refreshLifetime, errors, succeed }),
    jwks: { keys: keys.keys.map(key => ({ ...key })) },
    responseTypes: ['code'],
    subjectTypes: ['public'],
    scopes: ['openid', 'fhirUser', 'profile'],
    claims: { openid: ['sub'], fhirUser: ['fhirUser'], profile: ['name'] },
    clientAuthMethods: ['none'],
    conformIdTokenClaims: false,
    allowOmittingSingleRegisteredRedirectUri: false,
    extraParams: ['launch'],
    pkce: { required: () => true },
    clientBasedCORS: () => true, // decided outside oidc-provider
    rotateRefreshToken: true,
    expiresWithSession: () => false, // session.ts decides
    issueRefreshToken: async (_, __, { scopes }) => scopes.has('offline_access') || scopes.has('online_access'),
    loadExistingGrant: async ctx => {
      const { client, params } = ctx.oidc;
      // The redirect URI may have been removed while the request waited for its user.
      if (client?.redirectUriAllowed(String(params?.['redirect_uri'])) !== true) throw new errors.InvalidRedirectUri();
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async findAccount(_, id, token) {
      const user = await registry.user(id);
      const consent = await findConsent(consents, token?.grantId);
      if (user === undefined) return undefined;
      const fhirUser = consent && fhirUserUrl(consent);
      return {
        accountId: id,
        claims: () => ({ sub: id, name: user.name, ...(fhirUser === undefined ? {} : { fhirUser }) }),
      };
    },
    interactions: {
      url: (_, { uid }) => `${publicUrl}${interactionPath}/${uid}`,
      policy: [
        new Prompt(
          { name: 'login', requestable: true },
          new Check(
            'not_agreed',
            'The user has to sign in and to agree',
            ctx => ctx.oidc.result?.consent?.grantId === undefined,
          ),
        ),
        new Prompt({ name: 'consent', requestable: true }),
        new Prompt({ name: 'select_account', requestable: true }),
      ],
    },
    cookies: {
      keys: [cookieSecret],
      names: { session: sessionCookie, interaction: `${prefix}crs_interaction`, resume: `${prefix}crs_resume` },
      long: cookie(publicUrl),
      short: cookie(publicUrl),
    },
    ttl: {
      AccessToken: seconds(lifetimes.appTokenLifetime),
      AuthorizationCode: seconds(lifetimes.codeLifetime),
      Grant: seconds(lifetimes.refreshLifetime),
      IdToken: seconds(lifetimes.appTokenLifetime),
      Interaction: seconds(longestConversation),
      Session: seconds(longestConversation),
      RefreshToken: seconds(lifetimes.refreshIdle), // and no longer in total than adapter.ts allows
    },
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks' },
    features: {
      devInteractions: off,
      dPoP: off,
      introspection: off,
      revocation: off,
      userinfo: off,
      rpInitiatedLogout: off,
      pushedAuthorizationRequests: off,
      resourceIndicators: {
        enabled: true,
        defaultResource: async (_, { clientId }) => {
          const client = await registry.client(clientId);
          if (client === undefined) throw new errors.InvalidClient('the client is not registered');
          throw new errors.InvalidTarget(audienceMismatch(undefined, client, publicUrl));
        },
        useGrantedResource: () => true,
        getResourceServerInfo: async (ctx, resource, { clientId }) => ({
          scope: await scopeOf(ctx, resource, clientId, parts, errors),
          audience: resource,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    renderError: async (ctx, { error, error_description: description }, cause) => {
      ctx.respond = false;
      const isOut = cause instanceof StoreUnavailable;
      if (isOut) ctx.res.setHeader('Retry-After', '5');
      const isRedirect = cause instanceof errors.InvalidRedirectUri;
      const why = isRedirect ? await wrongRedirect(ctx.oidc.params) : description;
      if (isRedirect && why !== undefined) parts.notice(why);
      const pageError = isOut ? { status: 503, ...storeOut } : { status: ctx.status, error, description: why };
      await parts.renderError(originalOf(ctx.req), ctx.res, pageError);
    },
  };
}

const storeOut = {
  error: 'temporarily_unavailable',
  description: 'The store is not available. Retry later.',
};

const off = { enabled: false };

const seconds = (milliseconds: number): number => Math.max(1, Math.floor(milliseconds / 1000));

const cookie = (publicUrl: string) =>
  ({ signed: true, httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') }) as const;
