import { randomUUID } from 'node:crypto';
import { createAudit, noAudit } from '../audit/audit.ts';
import { ChainedLog } from '../audit/log/log.ts';
import { startPruning } from '../audit/pruning.ts';
import type { TokenVerifier } from '../auth/claims.ts';
import { authorizationOffered } from '../smart/offered.ts';
import { createRegistry } from '../smart/registry.ts';
import { tokenCollection } from '../auth/token/own-tokens.ts';
import { revocationCollection } from '../auth/token/revocations.ts';
import { createTokenVerifier } from '../auth/token/verifier.ts';
import type { Config } from '../config.ts';
import { hasAuthorizationServer } from '../config/safe-start.ts';
import { checkStart, checkStore, loadServed } from './start-checks.ts';
import { requireModel } from './load-model.ts';
import { openPort } from './port.ts';
import { createApp } from '../http/app.ts';
import { createClientAddress } from '../http/client-address.ts';
import { fixedHeaders } from '../http/headers.ts';
import type { Origins } from '../http/middleware/cors.ts';
import { createPlaces } from '../http/places.ts';
import { createRespond } from '../http/respond.ts';
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
import { openStore } from '../store/open.ts';
import { keepPublicUrl } from '../store/public-url.ts';
import { lazyValidator } from '../validation/lazy.ts';
import { warmValidator } from '../validation/warm.ts';
import type { Store } from '../store/store.ts';

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
  const notice = (text: string): void => log.notice(text);
  await checkStart(config, demo, notice);
  const { model, definitions } = await loadServed(config, load, notice);
  // The port is opened before the store, whose upgrade may take long: absolute URLs may contain a free port.
  let closing = false;
  const headers = fixedHeaders(config.tlsCert !== undefined);
  const port = await openPort(config, headers, notice);
  if (port.reload !== undefined) reloads.add(port.reload);
  const { url } = port;

  let store: Store | undefined;
  let auditLog: ChainedLog | undefined;
  let authorized: OpenedAuthorization | undefined;
  try {
    const extract = createExtract(model, firstFailures(notice));
    store = await openStore(config.store, {
      model,
      extract,
      now,
      mode: 'serve',
      deadline: config.searchDeadline,
      timeout: config.storeTimeout,
      fault: error => log.fault(error, 'none'),
      notice,
    });
    await checkStore(store, config, notice);
    await keepPublicUrl(store, url);
    const cursors = await createCursors(store.documents('cursors'), now);
    const verify =
      config.access === 'open' ? undefined : (given ?? createVerifier(store, config, { url, now, demo, notice }));
    if (verify === undefined) notice(openToAll);
    const { handling, maxUrl, maxBody } = config;
    const secured = verify !== undefined;
    auditLog = new ChainedLog(store.chains, now);
    const audit = audited
      ? createAudit({
          log: auditLog,
          model,
          extract,
          publicUrl: url,
          now,
          whenFailing: config.auditFailure,
          fault: error => log.fault(error, 'none'),
        })
      : noAudit;
    const stopPruning = audited ? startPruning(auditLog, url, config.auditDays, now, log) : async () => {};
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
    port.serve(app.callback());
    const warming = setTimeout(() => {
      void warmValidator(engine.validator, model.types.values()).catch(error => log.fault(error, 'none'));
    }, idleAfter).unref();

    reloads.started();
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      closing = true;
      reloads.ended();
      clearTimeout(warming);
      await port.close();
      authorized?.close();
      await stopPruning();
      await audit.close();
      await auditLog?.close();
      await engine.store.close();
    };
    return { engine, url, port: port.number, close: () => (closed ??= close()) };
  } catch (error) {
    reloads.ended();
    port.fail(error);
    await port.close();
    authorized?.close();
    await auditLog?.close();
    await store?.close();
    throw error;
  }
}

/** Milliseconds after a start that are reserved for waiting clients. */
const idleAfter = 1_000;

/** The verifier of tokens of this server and of the issuers of the settings. */
const createVerifier = (
  store: Store,
  { issuers }: Config,
  { url, ...parts }: { url: string; now: () => number; demo: boolean; notice: (text: string) => void },
): TokenVerifier =>
  createTokenVerifier({
    ...parts,
    tokens: store.documents(tokenCollection),
    revocations: store.documents(revocationCollection),
    issuers,
    publicUrl: url,
  });

/** With external issuers the origins of apps are registered too. */
function originsIn(store: Store, now: () => number): Origins {
  const registry = createRegistry(store, undefined, now);
  return () => registry.origins();
}

const openToAll =
  'Access is open: no token is required, and every client that can connect to this port may do everything.';
