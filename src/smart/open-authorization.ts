import type { IncomingMessage, ServerResponse } from 'node:http';
import { openAccountsFile } from './accounts/accounts-file.ts';
import { createCookies } from '../pages/cookies.ts';
import { readKeyFile } from './accounts/key-file.ts';
import { explorerClient } from './accounts/explorer-client.ts';
import type { Registry } from './accounts/registered.ts';
import { createRegistry } from './accounts/registry.ts';
import { remember } from '../auth/token/remember.ts';
import { derivedSecret } from './token/seal.ts';
import { createSessions, sessionCookie } from './sign-in/session.ts';
import type { Session } from './sign-in/session.ts';
import type { SignInTried } from './sign-in/sign-in.ts';
import { loadSigningKeys } from './token/signing-keys.ts';
import { grantTypes } from './token/token-endpoint.ts';
import type { TokenEvent } from './authorization-server.ts';
import { readAccountsAt } from './accounts/accounts.ts';
import type { Config } from '../config/read.ts';
import type { Authorization } from './authorization.ts';
import { readBody } from '../http/body/body.ts';
import type { ClientAddress } from '../http/connection/client-address.ts';
import type { Origins } from '../http/middleware/cors.ts';
import { readBrand } from '../pages/brand.ts';
import type { Brand } from '../pages/brand.ts';
import type { Engine } from '../interaction/interaction.ts';
import { makeOnce } from '../limits/cache.ts';
import type { Model } from '../model/model.ts';
import type { Log } from '../observability/log.ts';
import type { Meters } from '../observability/meters.ts';
import type { Store } from '../store/port/store.ts';
import type { Buckets } from '../limits/token-buckets.ts';
import type { Exchange } from './sign-in/conversation.ts';

export interface AuthorizationParts {
  readonly store: Store;
  /** The model of the first definitions. */
  readonly model: Model;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly config: Config;
  /** File of the secret that encrypts the signing keys. */
  readonly keyFile: string;
  /** The base of absolute URLs. */
  readonly publicUrl: string;
  readonly demo: boolean;
  readonly clientAddress: ClientAddress;
  readonly log: Log;
  /** Counts token requests; undefined without metrics. */
  readonly countToken?: Meters['token'] | undefined;
  /** Each authorization request costs its network a token. */
  readonly rateLimit: Buckets;
}

/** The authorization server, as the rest of the engine uses it. */
export interface OpenedAuthorization {
  readonly registry: Pick<Registry, 'user'>;
  /** The origins of registered apps. */
  readonly origins: Origins;
  /** Whether all authorization responses have `iss`. */
  readonly sendsIss: () => Promise<boolean>;
  /**
   * From now on the accounts file is checked with the model of this engine. Returns a function that imports and creates
   * the request handlers for the scopes of this model, at the first request.
   */
  readonly with: (engine: Engine) => () => Promise<Authorization>;
  /** Rejects with all problems if the accounts file is not valid with another model. */
  readonly checkAccounts: (model: Model) => Promise<void>;
  /** Reloads the accounts file and logs the result; undefined without a file. */
  readonly reload: (() => Promise<void>) | undefined;
  close(): void;
}

/** How long the list of partitions is cached, in milliseconds. */
const remembered = { keep: 5_000, keepFailure: 0 };

/** Maximum size of a form in bytes. */
const mostForm = 64 * 1024;

/**
 * Opens clients, users and signing keys, which are generated if the store has none. Rejects with a sentence for the
 * operator if the key file, the accounts file or the logo cannot be used.
 */
export async function openAuthorization(parts: AuthorizationParts): Promise<OpenedAuthorization> {
  const { store, now, config, log } = parts;
  const { accounts } = config;
  let { model } = parts;
  const secret = readKeyFile(parts.keyFile);
  const brand = readBrand(config);
  const keys = await loadSigningKeys(store, secret, now);
  const cookieSecret = derivedSecret(secret, 'cookies');
  const file =
    accounts === undefined
      ? undefined
      : await openAccountsFile({
          store,
          path: accounts,
          read: () => readAccountsAt(accounts, store, model),
          now,
          notice: text => log.notice(text),
          refused: text => log.refused(text),
        });
  const partitions = remember(async () => (await store.partitions.list()).map(({ id }) => id), remembered, now);
  const explorer = async () => explorerClient(parts.publicUrl, model, await partitions());
  const registry = createRegistry(store, file, now, config.explorer === 'on' ? explorer : undefined);
  return {
    registry,
    origins: () => registry.origins(),
    sendsIss: () => registry.sendsIss(),
    with(engine) {
      ({ model } = engine);
      return makeOnce(() => assemble({ ...parts, engine, keys, cookieSecret, registry, brand }));
    },
    async checkAccounts(other) {
      if (accounts !== undefined) await readAccountsAt(accounts, store, other);
    },
    reload: file && (() => file.reload()),
    close: () => file?.close(),
  };
}

interface Assembled extends Omit<AuthorizationParts, 'store' | 'model' | 'now'> {
  readonly engine: Engine;
  readonly keys: Awaited<ReturnType<typeof loadSigningKeys>>;
  readonly cookieSecret: string;
  readonly registry: ReturnType<typeof createRegistry>;
  readonly brand: Brand;
}

async function assemble(parts: Assembled): Promise<Authorization> {
  const [
    { createAuthorizationServer },
    { createLaunch },
    { signIn },
    { createThrottle },
    { createPages, createProtocolErrorPage },
  ] = await Promise.all([
    import('./authorization-server.ts'),
    import('./sign-in/launches.ts'),
    import('./sign-in/sign-in.ts'),
    import('./sign-in/throttle.ts'),
    import('./pages/pages.ts'),
  ]);
  const { engine, config, publicUrl, demo, clientAddress, log } = parts;
  const { keys, cookieSecret, registry, brand, rateLimit } = parts;
  const { store, model, now } = engine;
  const { sessionIdle, sessionLifetime, bodyTimeout, launchLifetime, frameAncestors } = config;
  const sessions = createSessions(store, { idle: sessionIdle, lifetime: sessionLifetime }, now);
  const session = async ({ request, response }: Exchange): Promise<Session | undefined> => {
    const secret = createCookies(publicUrl, request, response).read(sessionCookie);
    return secret === undefined ? undefined : sessions.find(secret);
  };
  const errorPage = createProtocolErrorPage(publicUrl, frameAncestors, brand);
  const renderError: Authorization['renderError'] = async (request, response, error) =>
    errorPage(request, response, error);
  const server = createAuthorizationServer({
    store,
    model,
    registry,
    sessions,
    session,
    keys,
    cookieSecret,
    publicUrl,
    lifetimes: config,
    rateLimit,
    longestQuery: config.maxUrl,
    demo,
    now,
    renderError,
    readBody: async (request, response) =>
      (await readBody(request, response, { most: mostForm, timeout: bodyTimeout })).toString(),
    clientAddress,
    report: (event, request, response) => auditToken(parts, event, request, response),
    fault: (error, requestId) => log.fault(error, requestId),
    notice: text => log.notice(text),
  });
  const throttle = createThrottle(store, now);
  const pages = createPages({
    engine,
    conversations: server.conversations,
    registry,
    sessions,
    signIn: credentials => signIn({ registry, throttle, report: tried => auditSignIn(parts, tried) }, credentials),
    createLaunch: launch => createLaunch(store, launch, { lifetime: launchLifetime, now }),
    publicUrl,
    config,
    brand,
    clientAddress,
    log,
  });
  return { server, pages, renderError };
}

/** Audits the result of a sign-in; attempts with unknown names are counted, and so are throttled ones. */
function auditSignIn({ engine }: Assembled, { user, status, address, requestId = 'none' }: SignInTried): void {
  if (user === undefined || status === 429) engine.audit.refused(status, undefined, address);
  else engine.audit.signIn({ what: 'login', user, status, address, requestId });
}

/** Audits the result of a token request; requests of unknown clients are counted. */
function auditToken(
  { engine, publicUrl, clientAddress, countToken }: Assembled,
  { what, status, error, grantType, scope, client, user, patient, audience }: TokenEvent,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  countToken?.(
    what,
    grantTypes.find(known => known === grantType),
  );
  const partition = audience?.slice(`${publicUrl}/r4/`.length);
  const address = clientAddress(request);
  if (client === undefined) return engine.audit.refused(status, partition, address);
  const requestId = String(response.getHeader('X-Request-Id') ?? 'none');
  const event = { what, status, error, grantType, scope, client, user, patient };
  engine.audit.authorization({ ...event, partition, address, requestId });
}
