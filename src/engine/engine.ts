import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAudit, noAudit } from '../audit/audit.ts';
import { startPruning } from '../audit/pruning.ts';
import type { TokenVerifier } from '../auth/claims.ts';
import { unusableCriteria } from '../auth/context-query.ts';
import { authorizationOffered } from '../smart/offered.ts';
import { createRegistry } from '../smart/registry.ts';
import { tokenCollection } from '../auth/token/own-tokens.ts';
import { revocationCollection } from '../auth/token/revocations.ts';
import { createTokenVerifier } from '../auth/token/verifier.ts';
import { publicUrlOf } from '../config.ts';
import type { Config } from '../config.ts';
import {
  demoBeyondLoopback,
  hasAuthorizationServer,
  isLocal,
  startNotices,
  startRefusals,
} from '../config/safe-start.ts';
import { requireModel } from './load-model.ts';
import { createApp } from '../http/app.ts';
import { createClientAddress } from '../http/client-address.ts';
import { fixedHeaders } from '../http/headers.ts';
import type { Origins } from '../http/middleware/cors.ts';
import { createPlaces } from '../http/places.ts';
import { createRespond } from '../http/respond.ts';
import { listen } from '../http/server.ts';
import { createShareOf } from '../http/shares.ts';
import { createUploads, longestUploadWait, mostUploads } from '../http/uploads.ts';
import { createExtract } from '../indexing/extract.ts';
import { firstFailures } from '../indexing/not-indexed.ts';
import type { Engine } from '../interaction/interaction.ts';
import { createLog } from '../observability/log.ts';
import type { Log } from '../observability/log.ts';
import { createReloads } from '../reloads.ts';
import type { Reloads } from '../reloads.ts';
import { createCursors } from '../search/cursor.ts';
import type { OpenedAuthorization } from '../smart/open-authorization.ts';
import { openStore, refuseServed } from '../store/open.ts';
import { keepPublicUrl } from '../store/public-url.ts';
import { lazyValidator } from '../validation/lazy.ts';
import { warmValidator } from '../validation/warm.ts';
import type { DatabaseIndex } from '../store/indexes.ts';
import type { Store } from '../store/store.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** A running server. */
export interface RunningEngine {
  readonly engine: Engine;
  /** The base of absolute URLs: a partition is `{url}/r4/{partition}`. */
  readonly url: string;
  readonly port: number;
  /** Lets requests in flight finish, then closes the store. May be called again. */
  close(): Promise<void>;
}

/** Dependencies that are injected, or created from the settings. */
export interface EngineParts {
  /** In a demonstration an issuer on this machine may use plain http. */
  readonly demo?: boolean;
  /** Loads the definitions; `requireModel` by default. */
  readonly load?: typeof requireModel;
  /** Verifies tokens. */
  readonly verify?: TokenVerifier;
  /** False without an audit: for benchmarks of its cost. */
  readonly audit?: boolean;
  /** Registers the files that can be reloaded. */
  readonly reloads?: Reloads;
  /** Milliseconds since 1970 UTC. */
  readonly now?: () => number;
  /** A new random logical id. */
  readonly newId?: () => string;
}

/**
 * The composition root: settings → definitions → model → port → store → app. Rejects with a sentence for the operator
 * if one of them is refused, and leaves nothing open then.
 */
export async function startEngine(
  config: Config,
  log: Log = createLog(config.log),
  parts: EngineParts = {},
): Promise<RunningEngine> {
  const {
    demo = false,
    load = requireModel,
    verify: given,
    audit: audited = true,
    now = Date.now,
    newId = () => randomUUID(),
  } = parts;
  const { reloads = createReloads(text => log.notice(text)) } = parts;
  // Also if the settings were not read from a command line.
  const refusals = startRefusals(config, demo);
  if (refusals.length > 0) throw new Error(refusals.join('\n'));
  await refuseServed(config.store); // before any slow step
  for (const text of startNotices(config)) log.notice(text);
  const { model, definitions, notices } = await load(config);
  for (const text of notices) log.notice(text);
  const unusable = unusableCriteria(model);
  if (unusable.length > 0) throw new Error(unusable.join('\n'));

  // The port is opened before the store, whose upgrade may take long: absolute URLs may contain a free port.
  let closing = false;
  const headers = fixedHeaders(config.tlsCert !== undefined);
  const opened = Promise.withResolvers<Listener>();
  // Requests before the app is ready wait for it.
  let listener: Listener = (request, response) =>
    opened.promise.then(
      handle => handle(request, response),
      () => request.destroy(),
    );
  const notice = (text: string): void => log.notice(text);
  const listening = await listen(config, (request, response) => void listener(request, response), headers, notice);
  if (listening.reload !== undefined) reloads.add(listening.reload);
  const url = publicUrlOf(config, listening.port);

  let store: Store | undefined;
  let authorized: OpenedAuthorization | undefined;
  try {
    const extract = createExtract(
      model,
      firstFailures(text => log.notice(text)),
    );
    store = await openStore(config.store, {
      model,
      extract,
      now,
      mode: 'serve',
      deadline: config.searchDeadline,
      timeout: config.storeTimeout,
      fault: error => log.fault(error, 'none'),
      notice: text => log.notice(text),
    });
    for (const { promise, why } of store.lacks) log.notice(`The store does not promise \`${promise}\`: ${why}`);
    for (const text of indexNotices(await store.indexes.database())) log.notice(text);
    if (hasAuthorizationServer(config) && !isLocal(config)) {
      const { demoAccountsIn } = await import('../demo/accounts.ts');
      const ids = await demoAccountsIn(store);
      if (ids.length > 0) throw new Error(`This store has ${ids.join(', ')}. ${demoBeyondLoopback}`);
    }
    await keepPublicUrl(store, url);
    const cursors = await createCursors(store.documents('cursors'), now);
    const { issuers } = config;
    const own = {
      tokens: store.documents(tokenCollection),
      revocations: store.documents(revocationCollection),
    };
    const ownVerifier = (): TokenVerifier =>
      createTokenVerifier({ ...own, issuers, publicUrl: url, now, demo, notice: text => log.notice(text) });
    const verify = config.access === 'open' ? undefined : (given ?? ownVerifier());
    if (verify === undefined) log.notice(openToAll);
    const { handling, maxUrl, maxBody } = config;
    const secured = verify !== undefined;
    const audit = audited
      ? createAudit({
          log: store.audit,
          model,
          extract,
          publicUrl: url,
          now,
          whenFailing: config.auditFailure,
          fault: error => log.fault(error, 'none'),
        })
      : noAudit;
    const stopPruning = audited ? startPruning(store.audit, url, config.auditDays, now, log) : async () => {};
    const keyFile = given === undefined && hasAuthorizationServer(config) ? config.keyFile : undefined;
    const engine: Engine = {
      model,
      store,
      audit,
      secured,
      offered: keyFile === undefined ? undefined : authorizationOffered(model, url),
      extract,
      validator: lazyValidator(definitions, model, config),
      cursors,
      now,
      newId,
      fault: (error, requestId) => log.fault(error, requestId),
      handling,
      maxUrl,
      maxBody,
      started: now(),
    };
    const respond = createRespond({
      headers,
      compression: config.compression === 'on' || (config.compression === 'auto' && config.trustedProxies.length === 0),
      threshold: config.compressionThreshold,
      closing: () => closing,
    });
    const clientAddress = createClientAddress(config.trustedProxies);
    // Imported here, since many installations use external issuers.
    authorized =
      keyFile === undefined
        ? undefined
        : await (
            await import('../smart/open-authorization.ts')
          ).openAuthorization({ engine, config, keyFile, publicUrl: url, demo, clientAddress, log });
    if (authorized?.reload !== undefined) reloads.add(authorized.reload);
    const app = createApp({
      engine,
      publicUrl: url,
      verify,
      authorized,
      origins: secured ? (authorized?.origins ?? originsIn(store, now)) : undefined,
      headers,
      body: { most: maxBody, timeout: config.bodyTimeout },
      uploads: createUploads(mostUploads, longestUploadWait),
      places: createPlaces(config.maxRequests, createShareOf(config.trustedProxies), notice),
      respond,
      clientAddress,
      closing: () => closing,
      log,
    });
    listener = app.callback();
    opened.resolve(listener);
    const warming = setTimeout(() => {
      void warmValidator(engine.validator, model.types.values()).catch(error => log.fault(error, 'none'));
    }, idleAfter).unref();

    reloads.started();
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      closing = true;
      reloads.ended();
      clearTimeout(warming);
      await listening.close();
      authorized?.close();
      await stopPruning();
      await audit.close();
      await engine.store.close();
    };
    return { engine, url, port: listening.port, close: () => (closed ??= close()) };
  } catch (error) {
    reloads.ended();
    opened.promise.catch(() => {}); // reported by the error below
    opened.reject(error);
    await listening.close();
    authorized?.close();
    await store?.close();
    throw error;
  }
}

/** Milliseconds after a start that are reserved for waiting clients. */
const idleAfter = 1_000;

/** With external issuers the origins of apps are registered too. */
function originsIn(store: Store, now: () => number): Origins {
  const registry = createRegistry(store, undefined, now);
  return () => registry.origins();
}

const openToAll =
  'Access is open: no token is required, and every client that can connect to this port may do everything.';

/** Notices about database indexes that differ from the definitions. */
function indexNotices(indexes: readonly DatabaseIndex[]): readonly string[] {
  const named = (of: readonly DatabaseIndex[]): string =>
    of.map(({ collection, name }) => `\`${collection}.${name}\``).join(', ');
  const unused = indexes.filter(({ state }) => state === 'unused');
  const awaited = indexes.filter(({ state }) => state !== 'unused');
  return [
    ...(awaited.length === 0 ? [] : [`Indexes are being built; until then searches are slow: ${named(awaited)}`]),
    ...(unused.length === 0 ? [] : [`\`index drop-unused\` drops unused indexes: ${named(unused)}`]),
  ];
}
