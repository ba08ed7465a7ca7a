import { randomUUID } from 'node:crypto';
import type { TokenVerifier } from '../auth/claims.ts';
import type { Config } from '../config/read.ts';
import { fixedHeaders } from '../http/answer/respond.ts';
import type { Engine } from '../interaction/interaction.ts';
import { createLog } from '../observability/log.ts';
import type { Log } from '../observability/log.ts';
import type { Meters } from '../observability/meters.ts';
import { reportUnread } from '../observability/unread.ts';
import { createReloads } from './reloads.ts';
import type { Reloads } from './reloads.ts';
import { createDefinitionSets } from '../store/server/definition-sets.ts';
import { answerRequests } from './definitions/answer-requests.ts';
import { openAuditLog } from './parts/audit.ts';
import { openFirstDefinitions } from './definitions/first-definitions.ts';
import type { Front } from './front.ts';
import { createLimits } from './parts/limits.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';
import type { LiveDefinitions } from './definitions/live-definitions.ts';
import { requireModel } from './definitions/load-model.ts';
import { observedStore, startObserving, watchEngine } from './parts/observe.ts';
import { openPort } from './port.ts';
import { openShared } from './shared.ts';
import { checkStart, loadServed } from './start-checks.ts';
import { createOpenedParts } from './start.ts';
import type { Start } from './start.ts';
import { warmLater } from './parts/warm.ts';
import { stateOf, watchDefinitions } from './definitions/watch-definitions.ts';

/** A running server. */
export interface RunningEngine {
  /** The engine of new requests. */
  readonly engine: Engine;
  /** Changes the definitions that it follows. */
  readonly definitions: Pick<LiveDefinitions, 'reload' | 'rollback' | 'follow'>;
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
  /** Other processes answer the requests; by default this one does. */
  readonly front?: Front;
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
  const { demo = false, load = requireModel, now = Date.now, newId = randomUUID } = parts;
  const notice = (text: string): void => log.notice(text);
  const { reloads = createReloads(), front } = parts;
  await checkStart(config, demo, notice);
  const before = config.watch ? await stateOf(config) : '';
  const loaded = await loadServed(config, load, notice);
  const headers = fixedHeaders(config.tlsCert !== undefined);
  // The port is opened before the store, whose upgrade may take long: absolute URLs may contain a free port.
  let meters: Meters | undefined;
  const report = { notice, unread: reportUnread(log, () => meters) };
  const port = await (front === undefined
    ? openPort(config, headers, report)
    : front.openPort(config, headers, report));
  if (port.reload !== undefined) reloads.add(port.reload);

  const { url } = port;
  const opened = createOpenedParts();
  let closing = false;
  const addOpened: Start['opened'] = close => opened.add(close);
  try {
    const { metricsPort, ...observing } = await startObserving(
      config,
      { log, opened: addOpened },
      front && (() => front.metrics()),
    );
    ({ meters } = observing);
    const start: Start = {
      config,
      url,
      demo,
      log,
      notice,
      now,
      ...observing,
      closing: () => closing,
      opened: addOpened,
    };
    let follow = async (): Promise<unknown> => undefined; // until the definitions can be changed
    const first = await openFirstDefinitions(start, loaded, async () => void (await follow()));
    const { store } = first;
    const auditLog = parts.audit === false ? undefined : openAuditLog(start, store);
    const shared = await openShared(start, headers, observedStore(start, store), first.loaded.model, {
      limits: createLimits(config, now),
      auditLog,
      verify: parts.verify,
      newId,
    });
    let endWarming = (): void => {};
    addOpened(() => endWarming());
    const live = createLiveDefinitions(
      {
        shared,
        sets: createDefinitionSets(store),
        load: () => load(config),
        serve({ engine, listener }) {
          port.serve(listener);
          endWarming(); // it would keep the former definitions in memory
          endWarming = warmLater(start, front === undefined ? engine : undefined);
        },
        served: front && (() => front.follow()),
      },
      first,
    );
    follow = () => live.follow();
    watchEngine(start.meters, () => live.current.engine);
    const { authorization } = shared;
    reloads.add(async () => void (await live.reload())); // before the accounts, which depend on them
    if (authorization?.reload !== undefined) reloads.add(authorization.reload);
    if (front !== undefined) {
      const { audit } = shared;
      await front.start({ start, store, auditLog, audit, digest: () => live.current.engine.model.digest });
      reloads.add(() => front.reloadAccounts());
    }
    if (front === undefined) shared.jobs.work(() => live.current.engine);
    answerRequests(start, store, live);
    if (config.watch) watchDefinitions(start, config, before, () => live.reload());
    reloads.started();

    let closed: Promise<void> | undefined;
    const close = async (patience?: number): Promise<void> => {
      closing = true;
      reloads.ended();
      await port.close(patience);
      await opened.close();
    };
    return {
      get engine() {
        return live.current.engine;
      },
      definitions: live,
      url,
      port: port.number,
      metricsPort,
      close: patience => (closed ??= close(patience)),
    };
  } catch (error) {
    reloads.ended();
    port.fail(error);
    await port.close();
    await opened.close();
    throw error;
  }
}
