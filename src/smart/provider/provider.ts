import type { ServerResponse } from 'node:http';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { StoreUnavailable } from '../../store/port/errors.ts';
import { newToken } from '../../auth/token/own-tokens.ts';
import { consentCollection, contextOf, findConsent } from '../sign-in/consents.ts';
import { authorizationOffered } from '../../auth/offered.ts';
import type { SigningKeys } from '../token/signing-keys.ts';
import { providerConfiguration, sessionCookie } from './provider-configuration.ts';
import type { ProviderParts } from './provider-parts.ts';
import { isRegisteredRedirect } from '../sign-in/addresses.ts';

/**
 * The parts of oidc-provider in use: the authorization request and its answer, the exchange of codes and refresh
 * tokens, ID tokens. Authentication of clients, granted scopes and sign-in are decided outside of it. Slow to import.
 */
export async function createProvider(parts: ProviderParts, keys: SigningKeys['jwks']): Promise<Provider> {
  const { Provider, interactionPolicy, errors } = await importQuietly();
  const { model, publicUrl, store } = parts;
  const { issuer } = authorizationOffered(model, publicUrl);
  const consents = store.documents(consentCollection);

  const answer = (): ServerResponse | undefined => Provider.ctx?.res;
  const successors = new WeakMap<ServerResponse, string>();
  const succeed = (id: string): void => {
    const response = answer();
    if (response !== undefined) successors.set(response, id);
  };
  const configuration = providerConfiguration(parts, keys, { errors, interactionPolicy }, succeed);
  const provider = new Provider(issuer, configuration);
  provider.proxy = true; // provider-request.ts sets the public URL
  const access = provider.AccessToken.prototype as unknown as { generateTokenId(): string }; // which has no type
  const made = Object.getOwnPropertyDescriptor(access, 'generateTokenId')?.value as (this: unknown) => string;
  access.generateTokenId = function () {
    made.call(this); // which records the format too
    return newToken();
  };
  const ofAnswer = <T>(values: WeakMap<ServerResponse, T>): T | undefined => {
    const response = answer();
    return response && values.get(response);
  };
  beforeSave(provider.AccessToken.prototype, token => (token.scope = ofAnswer(parts.narrowed) ?? token.scope));
  beforeSave(provider.RefreshToken.prototype, token => (token.jti = ofAnswer(successors) ?? token.jti));
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    return isRegisteredRedirect(this.redirectUris ?? [], uri);
  };
  provider.use(async (ctx, next) => {
    // http/middleware/cors.ts has decided which pages may read the answer
    const isShared = ctx.res.hasHeader(sharing[0]);
    await next();
    if (ctx.res.headersSent) return; // a page was sent
    if (!isShared) for (const name of sharing) ctx.res.removeHeader(name);
    const within = ctx as KoaContextWithOIDC; // the context of oidc-provider, set once it handles the request
    if ((within.oidc as typeof within.oidc | undefined)?.route === 'token' && ctx.status === 200)
      await addContext(within);
    explain(ctx);
    await withoutIss(within);
    dropSession(ctx.res);
  });
  provider.on('grant.error', (ctx, { error, error_detail: why }) => {
    parts.granted.set(ctx.res, { error });
    if (why !== undefined) ctx.body = { ...(ctx.body as object), error_description: sentence(why) };
  });
  provider.on('server_error', (ctx, error) => {
    parts.fault(error, String(ctx.res.getHeader('X-Request-Id') ?? 'none'));
    if (ctx.oidc.route !== 'token' || !(error instanceof StoreUnavailable)) return;
    ctx.status = 503;
    ctx.set('Retry-After', '5');
    ctx.body = { error: 'temporarily_unavailable', error_description: 'The store is not available. Retry later.' };
  });
  Object.assign(provider, {
    // Replaces koa's handler, which prints. These two codes mean that the client closed the connection.
    onerror: (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') parts.fault(error, 'none');
    },
  });
  return provider;

  /** Apps whose launch page is their redirect page take `iss` for that of an EHR launch, when they are reloaded. */
  async function withoutIss(ctx: KoaContextWithOIDC): Promise<void> {
    const location = ctx.res.getHeader('Location');
    const id = (ctx.oidc as typeof ctx.oidc | undefined)?.client?.clientId;
    if (id === undefined || typeof location !== 'string' || !location.includes('&iss=')) return;
    if ((await parts.registry.client(id))?.responseIss !== false) return;
    ctx.redirect(
      location.replace(/&iss=([^&#]*)(?=$|[&#])/g, (text, value: string) =>
        decodeURIComponent(value) === issuer ? '' : text,
      ),
    );
  }

  async function addContext(ctx: KoaContextWithOIDC): Promise<void> {
    const consent = await findConsent(consents, ctx.oidc.entities.Grant?.jti);
    const body = ctx.body as { readonly scope?: string }; // the token answer
    if (consent !== undefined) ctx.body = { ...body, ...contextOf(consent) };
    parts.granted.set(ctx.res, { consent, scope: body.scope });
  }
}

/** Changes each token before it is stored. */
function beforeSave<T extends { save(): Promise<string> }>(tokens: T, change: (token: T) => void): void {
  const save: (this: T) => Promise<string> = Reflect.get(tokens, 'save');
  tokens.save = function (this: T) {
    change(this);
    return save.call(this);
  };
}

/** Importing it warns of a Node without long-term support; package.json lists the tested versions. */
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

/** Adds to an error that returns to an app what the app should send instead. */
function explain(ctx: Pick<KoaContextWithOIDC, 'response' | 'redirect'>): void {
  const location = ctx.response.get('Location');
  if (!URL.canParse(location)) return;
  const url = new URL(location);
  const isFragment = url.hash !== ''; // as in the token answers
  const answer = isFragment ? new URLSearchParams(url.hash.slice(1)) : url.searchParams;
  const error = answer.get('error');
  if (error === null || answer.has('code')) return;
  answer.set('error_description', explainRefusal(error, answer.get('error_description') ?? undefined));
  if (isFragment) url.hash = answer.toString();
  ctx.redirect(url.href);
}

/** Without these headers oidc-provider would let every origin read the answer. */
const sharing = ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const;

function dropSession(response: ServerResponse): void {
  const set = [response.getHeader('Set-Cookie') ?? []].flat().map(String);
  const others = set.filter(
    cookie => ![`${sessionCookie}=`, `${sessionCookie}.sig=`].some(start => cookie.startsWith(start)),
  );
  if (others.length === set.length) return;
  if (others.length === 0) response.removeHeader('Set-Cookie');
  else response.setHeader('Set-Cookie', others);
}

/**
 * The error description of oidc-provider for an app, as a sentence that says what to send instead; `said` is undefined
 * if it has none. Without characters that an `error_description` may not have.
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
 */
export function explainRefusal(error: string, said: string | undefined): string {
  const better = byError.get(error) ?? byText.find(([pattern]) => said !== undefined && pattern.test(said))?.[1];
  return better ?? sentence(said ?? `The request cannot be answered: ${error}.`);
}

/** With a capital, except for parameter names, a full stop, and no double quotes. */
function sentence(text: string): string {
  const quoted = text.replaceAll('"', "'").replace(/^[a-z]+(?:_[a-z]+)+\b/, "The parameter '$&'");
  return `${quoted.slice(0, 1).toUpperCase()}${quoted.slice(1)}${quoted.endsWith('.') ? '' : '.'}`;
}

const byError: ReadonlyMap<string, string> = new Map(
  Object.entries({
    request_not_supported: "Request objects are not supported: omit 'request' and send the parameters themselves.",
    request_uri_not_supported:
      "Request objects are not supported: omit 'request_uri' and send the parameters themselves.",
    registration_not_supported: "Clients are registered by the operator beforehand: omit 'registration'.",
    unsupported_response_mode: "The answer is in the query of the redirect URI: omit 'response_mode'.",
    unsupported_response_type: "The parameter 'response_type' must be 'code'.",
  }),
);

const byText: readonly (readonly [RegExp, string])[] = [
  [
    /requires PKCE|code_challenge must be provided/,
    "PKCE is required: send 'code_challenge', with S256 as 'code_challenge_method'.",
  ],
  [/code_challenge_method/, "The parameter 'code_challenge_method' must be S256."],
];
