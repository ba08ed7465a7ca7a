import { randomUUID } from 'node:crypto';
import { noAudit } from '../audit/audit.ts';
import type { TokenVerifier } from '../auth/claims.ts';
import type { Config } from '../config.ts';
import { hasAuthorizationServer } from '../config/safe-start.ts';
import { createClientAddress } from '../http/client-address.ts';
import { fixedHeaders } from '../http/headers.ts';
import { createExtract } from '../indexing/extract.ts';
import { firstFailures } from '../indexing/not-indexed.ts';
import type { Engine } from '../interaction/interaction.ts';
import { createLog } from '../observability/log.ts';
import type { Log } from '../observability/log.ts';
import { createReloads } from '../reloads.ts';
import type { Reloads } from '../reloads.ts';
import { createCursors } from '../search/cursor.ts';
import { authorizationOffered } from '../smart/offered.ts';
import { expanderOf } from '../terminology/expander.ts';
import { terminologyOperationsOf } from '../terminology/forward.ts';
import { lazyValidator } from '../validation/lazy.ts';
import { createListener } from './app.ts';
import { startAudit } from './audit.ts';
import { openAuthorizationServer } from './authorization.ts';
import { requireModel } from './load-model.ts';
import { startObserving, watchEngine } from './observe.ts';
import { openPort } from './port.ts';
import { clientLimitOf } from './rate-limits.ts';
import { openServedStore } from './served-store.ts';
import { checkStart, loadServed } from './start-checks.ts';
import { createOpenedParts } from './start.ts';
import type { Start } from './start.ts';
import { verifierOf } from './verifier.ts';
import { warmLater } from './warm.ts';

/** A running server. */
export interface RunningEngine {
  readonly engine: Engine;
  /** The base of absolute URLs: a partition is `{url}/r4/{partition}`. */
  readonly url: string;
  readonly port: number;
  /** The port of `/metrics`; undefined without one. */
  readonly metricsPort: number | undefined;
  /**
   * `/readyz` fails at once, requests in flight finish, connections that stay idle for `patience` milliseconds are
   * closed, by default at once; then closes the store. May be called again.
   */
  close(patience?: number): Promise<void>;
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
  log: Log = createLog(config.log, process.stderr, Date.now, config.logFormat),
  parts: EngineParts = {},
): Promise<RunningEngine> {
  const { demo = false, load = requireModel, now = Date.now, newId = () => randomUUID() } = parts;
  const notice = (text: string): void => log.notice(text);
  const { reloads = createReloads(notice) } = parts;
  await checkStart(config, demo, notice);
  const { model, definitions } = await loadServed(config, load, notice);
  const headers = fixedHeaders(config.tlsCert !== undefined);
  // The port is opened before the store, whose upgrade may take long: absolute URLs may contain a free port.
  const port = await openPort(config, headers, notice);
  if (port.reload !== undefined) reloads.add(port.reload);

  const { url } = port;
  const opened = createOpenedParts();
  let closing = false;
  const addOpened: Start['opened'] = close => opened.add(close);
  try {
    const { metricsPort, ...observing } = await startObserving(config, { log, opened: addOpened });
    const start: Start = {
      config,
      model,
      url,
      demo,
      log,
      notice,
      now,
      ...observing,
      closing: () => closing,
      opened: addOpened,
    };
    const extract = createExtract(model, firstFailures(notice));
    const store = await openServedStore(start, extract);
    const cursors = await createCursors(store.documents('cursors'), now);
    const verify = verifierOf(start, store, parts.verify);
    const keyFile = parts.verify === undefined && hasAuthorizationServer(config) ? config.keyFile : undefined;
    const engine: Engine = {
      model,
      store,
      audit: parts.audit === false ? noAudit : startAudit(start, store, extract),
      secured: verify !== undefined,
      offered: keyFile === undefined ? undefined : authorizationOffered(model, url),
      extract,
      definitions,
      terminologyOperations: terminologyOperationsOf(config),
      expander: expanderOf(config),
      validator: lazyValidator(definitions, model, config),
      cursors,
      chargeClient: clientLimitOf(config.rateLimitClient, now),
      now,
      newId,
      fault: (error, requestId) => log.fault(error, requestId),
      handling: config.handling,
      searchDeadline: config.searchDeadline,
      maxUrl: config.maxUrl,
      maxBody: config.maxBody,
      started: now(),
    };
    watchEngine(start.meters, engine);
    const clientAddress = createClientAddress(config.trustedProxies);
    const authorized = await openAuthorizationServer(start, engine, keyFile, clientAddress);
    if (authorized?.reload !== undefined) reloads.add(authorized.reload);
    const served = { engine, verify, authorized, clientAddress, headers };
    port.serve(createListener(start, served));
    warmLater(start, engine);
    reloads.started();

    let closed: Promise<void> | undefined;
    const close = async (patience?: number): Promise<void> => {
      closing = true;
      reloads.ended();
      await port.close(patience);
      await opened.close();
    };
    return { engine, url, port: port.number, metricsPort, close: patience => (closed ??= close(patience)) };
  } catch (error) {
    reloads.ended();
    port.fail(error);
    await port.close();
    await opened.close();
    throw error;
  }
}
