import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/store.ts';
import { newToken } from '../token/own-tokens.ts';
import { createAdapter } from './adapter.ts';
import type { AdapterParts } from './adapter.ts';
import { consentCollection, contextOf, fhirUserUrl, findConsent } from './consents.ts';
import type { Consent } from './consents.ts';
import { interactionPath } from './conversations.ts';
import { findLaunch } from './launches.ts';
import { ScopeRefused, negotiateScopes } from './negotiate.ts';
import { authorizationOffered } from './offered.ts';
import { partitionOf } from './partition-of.ts';
import { originalOf } from './provider-request.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Milliseconds. */
export interface Lifetimes {
  readonly appTokenLifetime: number;
  readonly backendTokenLifetime: number;
  readonly codeLifetime: number;
  readonly refreshIdle: number;
  readonly refreshLifetime: number;
}

/** What is told on a page, since it cannot be told to the app. */
export interface PageError {
  readonly status: number;
  /** Such as `invalid_request`. */
  readonly error: string;
  /** A sentence for developers. */
  readonly description: string | undefined;
}

export type RenderError = (request: IncomingMessage, response: ServerResponse, error: PageError) => Promise<void>;

export interface ProviderParts extends Omit<AdapterParts, 'errors' | 'refreshLifetime'> {
  readonly store: Pick<Store, 'documents' | 'partition'>;
  readonly model: Model;
  readonly publicUrl: string;
  readonly lifetimes: Lifetimes;
  readonly renderError: RenderError;
  /** Is told what became of a request for a token. */
  readonly granted: Granted;
  /** What went wrong here, not at the client. */
  readonly fault: (error: unknown) => void;
}

/** By the response: what was granted, or why nothing was. */
export type Granted = WeakMap<
  ServerResponse,
  { readonly consent?: Consent | undefined; readonly scope?: string | undefined; readonly error?: string | undefined }
>;

/** Holds conversations that nobody finishes, in seconds. */
const longestConversation = 3_600;

/**
 * oidc-provider, as far as it is used: the authorization request and its answer, the exchange of codes and refresh tokens, ID
 * tokens. Who a client is, what is granted, and who is signed in is decided around it. Takes a while to import.
 */
export async function createProvider(parts: ProviderParts, keys: SigningKeys['jwks']): Promise<Provider> {
  const { Provider, interactionPolicy, errors } = await importQuietly();
  const { model, publicUrl, store, registry, lifetimes } = parts;
  const { issuer } = authorizationOffered(model, publicUrl);
  const { Prompt, Check } = interactionPolicy;
  const seconds = (milliseconds: number): number => Math.max(1, Math.floor(milliseconds / 1000));
  const consents = store.documents(consentCollection);
  const off = { enabled: false };
  const prefix = publicUrl.startsWith('https:') ? '__Secure-' : ''; // they have paths, which `__Host-` does not allow

  /** What is granted of a resource: negotiated when it is asked for, kept afterwards. */
  const scopeOf = async (ctx: KoaContextWithOIDC, resource: string, clientId: string): Promise<string> => {
    const { route, params, entities } = ctx.oidc;
    const asked = params?.['scope'];
    if (route === 'resume') return typeof asked === 'string' ? asked : '';
    const source = entities.AuthorizationCode ?? entities.RefreshToken;
    if (route !== 'authorization' || params === undefined) return source?.scope ?? '';
    const client = await registry.client(clientId);
    const partition = await partitionOf(resource, { store, publicUrl });
    if (client === undefined || partition === undefined || !client.partitions.includes(partition)) {
      throw new errors.InvalidTarget(
        'The parameter `aud` must be the FHIR base URL of a partition that the client is registered for.'.replaceAll(
          '`',
          "'",
        ),
      );
    }
    const launch = typeof params['launch'] === 'string' ? params['launch'] : undefined;
    if (launch !== undefined) {
      const known = await findLaunch(store, launch);
      if (known?.client !== clientId || known.partition !== partition)
        throw new errors.InvalidRequest("The value of 'launch' is unknown here, was used before or has expired.");
    }
    const { scope } = ctx.query; // oidc-provider has taken scopes away by now
    const rules = { model, registered: client.scopes, flow: 'app', launch: launch !== undefined } as const;
    try {
      return (params['scope'] = negotiateScopes(typeof scope === 'string' ? scope : undefined, rules).scopes.join(' '));
    } catch (error) {
      throw error instanceof ScopeRefused ? new errors.InvalidScope(error.message, error.scope ?? '') : error;
    }
  };

  const configuration: Configuration = {
    adapter: createAdapter({ ...parts, refreshLifetime: lifetimes.refreshLifetime, errors }),
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
    clientBasedCORS: () => true, // asked around it
    rotateRefreshToken: true,
    expiresWithSession: () => false, // our own session decides
    issueRefreshToken: async (_, __, { scopes }) => scopes.has('offline_access') || scopes.has('online_access'),
    loadExistingGrant: async ctx => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    async findAccount(_, id, token) {
      const user = await registry.user(id);
      const consent = await findConsent(consents, token?.grantId);
      if (user === undefined) return undefined;
      if (consent !== undefined && !user.partitions.some(one => one.id === consent.partition)) return undefined;
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
      names: { session: sessionCookie, interaction: `${prefix}crs_interaction`, resume: `${prefix}crs_resume` },
      long: cookie(publicUrl),
      short: cookie(publicUrl),
    },
    ttl: {
      AccessToken: seconds(lifetimes.appTokenLifetime),
      AuthorizationCode: seconds(lifetimes.codeLifetime),
      Grant: seconds(lifetimes.refreshLifetime),
      IdToken: seconds(lifetimes.appTokenLifetime),
      Interaction: longestConversation,
      Session: longestConversation,
      RefreshToken: seconds(lifetimes.refreshIdle), // and no longer in all than adapter.ts says
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
        defaultResource: () => {
          throw new errors.InvalidTarget(
            "The parameter 'aud' is missing: it must be the FHIR base URL of a partition.",
          );
        },
        useGrantedResource: () => true,
        getResourceServerInfo: async (ctx, resource, { clientId }) => ({
          scope: await scopeOf(ctx, resource, clientId),
          audience: resource,
          accessTokenFormat: 'opaque',
        }),
      },
    },
    renderError: async (ctx, { error, error_description: description }) => {
      ctx.respond = false;
      await parts.renderError(originalOf(ctx.req), ctx.res, { status: ctx.status, error, description });
    },
  };

  const provider = new Provider(issuer, configuration);
  provider.proxy = true; // provider-request.ts says what the public URL is
  const access = provider.AccessToken.prototype as unknown as { generateTokenId(): string }; // which has no type
  const made = Object.getOwnPropertyDescriptor(access, 'generateTokenId')?.value as (this: unknown) => string;
  access.generateTokenId = function () {
    made.call(this); // which notes the format too
    return newToken();
  };
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return this.redirectUris?.includes(uri) ?? false; // character by character, also where a port is all that differs
  };
  provider.use(async (ctx, next) => {
    const isShared = ctx.res.hasHeader(sharing[0]); // http/middleware/cors.ts has decided which pages may read the answer
    await next();
    if (ctx.res.headersSent) return; // by a page
    if (!isShared) for (const name of sharing) ctx.res.removeHeader(name);
    const within = ctx as KoaContextWithOIDC; // its own context, once it has taken the request
    if ((within.oidc as typeof within.oidc | undefined)?.route === 'token' && ctx.status === 200)
      await addContext(within);
    dropSession(ctx.res);
  });
  provider.on('grant.error', (ctx, { error, error_detail: why }) => {
    parts.granted.set(ctx.res, { error });
    if (why !== undefined) ctx.body = { ...(ctx.body as object), error_description: sentence(why) };
  });
  provider.on('server_error', (_, error) => parts.fault(error));
  Object.assign(provider, {
    // In place of koa's, which prints. Those two: the client left.
    onerror: (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') parts.fault(error);
    },
  });
  return provider;

  async function addContext(ctx: KoaContextWithOIDC): Promise<void> {
    const consent = await findConsent(consents, ctx.oidc.entities.Grant?.jti);
    const body = ctx.body as { readonly scope?: string }; // the token answer
    if (consent !== undefined) ctx.body = { ...body, ...contextOf(consent) };
    parts.granted.set(ctx.res, { consent, scope: body.scope });
  }
}

/** It warns of a Node that has no long-term support yet; those that this service is tested on are said in package.json. */
async function importQuietly() {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes('Unsupported runtime')) warn(...words);
  };
  try {
    return await import('oidc-provider');
  } finally {
    console.warn = warn;
  }
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('"', "'")}.`;

const cookie = (publicUrl: string) =>
  ({ signed: false, httpOnly: true, sameSite: 'lax', secure: publicUrl.startsWith('https:') }) as const;

/** Without them oidc-provider would let every page read the answer. */
const sharing = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const;

/** Its session is kept nowhere, so that its cookie is of no use. */
const sessionCookie = 'crs_none';

function dropSession(response: ServerResponse): void {
  const set = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
  const others = set.filter(cookie => !cookie.startsWith(`${sessionCookie}=`));
  if (others.length === set.length) return;
  if (others.length === 0) response.removeHeader('Set-Cookie');
  else response.setHeader('Set-Cookie', others);
}
