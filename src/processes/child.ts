import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { EngineParts } from '../engine/engine.ts';
import { createLiveDefinitions } from '../engine/definitions/live-definitions.ts';
import type { LiveDefinitions } from '../engine/definitions/live-definitions.ts';
import { observeBeside, observedStore, watchQueues } from '../engine/parts/observe.ts';
import { openShared } from '../engine/shared.ts';
import type { Shared } from '../engine/shared.ts';
import { ChainedLog } from '../audit/log/log.ts';
import type { AuditSink } from '../audit/log/log.ts';
import { createLimits } from '../engine/parts/limits.ts';
import { createOpenedParts } from '../engine/start.ts';
import type { Start } from '../engine/start.ts';
import { warmLater } from '../engine/parts/warm.ts';
import { fixedHeaders } from '../http/answer/respond.ts';
import { createAccepting } from '../http/server.ts';
import type { Accepting } from '../http/server.ts';
import type { Log } from '../observability/log.ts';
import type { Metrics } from '../observability/prometheus.ts';
import { reportUnread } from '../observability/unread.ts';
import { sharePasswords } from '../smart/accounts/password.ts';
import { createDefinitionSets } from '../store/server/definition-sets.ts';
import type { WriteRelay } from '../store/server/relay.ts';
import { parseStoreUrl } from '../store/url.ts';
import { ChildWrites, createAuditSink } from './child-writes.ts';
import { openChildDefinitions } from './child-definitions.ts';
import type { Link } from './link.ts';
import type { ChildCalls, ChildStart, ParentCalls } from './protocol.ts';

/** A child that answers requests. */
export interface Child {
  /** Like the calls of the same names (protocol.ts). */
  follow(): Promise<void>;
  reload: ChildCalls['reload'];
  metrics(): ReturnType<Metrics['read']> | undefined;
  auditFailing: ChildCalls['auditFailing'];
  makeWay: Accepting['makeWay'];
  accept(socket: Socket, share: string | undefined): void;
  /** Completes the running requests, and closes the store; may be called again with less patience. */
  close(patience: number): Promise<void>;
}

/** The parts of `EngineParts` that a test gives to a child. */
export type ChildParts = Pick<EngineParts, 'verify' | 'now'>;

/**
 * Opens the engine of a child: as `startEngine` does, but the parent owns the port, writes to an embedded store, and
 * the definitions are those of the store. What the parent logs too is not logged.
 */
export async function startChild(
  given: ChildStart,
  link: Link<ParentCalls>,
  log: Log,
  { verify, now = Date.now }: ChildParts = {},
): Promise<Child> {
  const { config, url, demo, digest, isAudited } = given;
  let isStarted = false;
  let closing = false;
  const opened = createOpenedParts();
  try {
    const { metrics, traces } = await observeBeside(config);
    const start: Start = {
      config,
      url,
      demo,
      log: { ...log, notice: () => {} },
      notice: text => isStarted && log.notice(text),
      now,
      meters: metrics,
      traces,
      closing: () => closing,
      opened: close => opened.add(close),
    };
    let follow = async (): Promise<unknown> => undefined; // until the definitions can be changed
    const writes = new ChildWrites(link);
    const relay: WriteRelay = {
      commit: (...job) => writes.commit(...job),
      problems: () => link.ask('problems'),
      failed: (doing, summary) => link.tell('failed', doing, summary),
    };
    const first = await openChildDefinitions(start, digest, relay, async () => void (await follow()));
    const { store } = first;
    sharePasswords(config.processes);
    const sink = createAuditSink(link, writes, config.auditFailure);
    const isEmbedded = parseStoreUrl(config.store)?.kind === 'sqlite';
    const chains = (): AuditSink => {
      const auditLog = new ChainedLog(store.chains, now);
      opened.add(() => auditLog.close());
      return auditLog;
    };
    const auditLog = isEmbedded ? sink : chains();
    const headers = fixedHeaders(config.tlsCert !== undefined);
    const shared: Shared = await openShared(start, headers, observedStore(start, store), first.loaded.model, {
      limits: createLimits(config, now),
      auditLog: isAudited ? auditLog : undefined,
      verify,
      newId: () => randomUUID(),
    });
    let listener: ((...of: Parameters<Parameters<typeof createAccepting>[1]>) => unknown) | undefined;
    const texts: string[] = [];
    const report = { notice: (text: string) => void texts.push(text), unread: reportUnread(log, () => metrics) };
    const accepting = createAccepting(
      config,
      (request, response) => void listener?.(request, response),
      headers,
      report,
    );
    let endWarming = (): void => {};
    opened.add(() => endWarming());
    const live: LiveDefinitions = createLiveDefinitions(
      {
        shared,
        sets: createDefinitionSets(store),
        load: () => Promise.reject(new Error('The parent loads the files')),
        serve({ engine, listener: next }) {
          listener = next;
          endWarming();
          endWarming = warmLater(start, engine);
        },
        notice: () => {},
      },
      first,
    );
    shared.jobs.work(() => live.current.engine);
    follow = () => live.follow();
    if (metrics !== undefined) watchQueues(metrics, () => live.current.engine);
    isStarted = true;
    let isEnded = false;
    let following: Promise<unknown> = Promise.resolve();
    let closed: Promise<void> | undefined;
    const close = async (ended: Promise<void>): Promise<void> => {
      await ended;
      isEnded = true;
      await following; // it reads the store
      await opened.close();
    };
    return {
      async follow() {
        if (isEnded) return; // no request follows
        const changing = live.follow();
        following = changing;
        const change = await changing;
        if (change?.kind !== 'refused') return;
        throw new Error(`A process cannot follow the definitions: ${change.problems.join('\n')}`);
      },
      async reload(what) {
        texts.length = 0;
        if (what === 'certificate') accepting.reload?.();
        else await shared.authorization?.reload?.();
        return [...texts];
      },
      metrics: () => metrics?.read(),
      auditFailing: reason => sink.setFailing(reason),
      makeWay: (share, which) => accepting.makeWay(share, which),
      accept: (socket, share) => accepting.accept(socket, () => link.tell('closed', share)),
      close(patience) {
        closing = true;
        const ended = accepting.close(patience);
        return (closed ??= close(ended));
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
