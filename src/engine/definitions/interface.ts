import { noAudit } from '../../audit/audit.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import type { Engine } from '../../interaction/interaction.ts';
import { authorizationOffered } from '../../auth/offered.ts';
import type { Store } from '../../store/port/store.ts';
import { expanderOf } from '../../terminology/expander.ts';
import { terminologyOperationsOf } from '../../terminology/forward.ts';
import { lazyValidator } from '../../validation/lazy.ts';
import { observedStore } from '../parts/observe.ts';
import type { Listener } from '../port.ts';
import type { FollowedDefinitions } from '../served-store.ts';
import type { PartitionDefinitions } from './stored-above.ts';
import type { Shared } from '../shared.ts';
import { createApp } from '../../http/app.ts';
import { measured, traced } from '../../http/middleware/observe.ts';
import { createRespond } from '../../http/answer/respond.ts';
import { viewsOf } from '../../views/views.ts';
import { originsOf } from '../parts/authorization.ts';
import { laterOperations } from '../parts/jobs.ts';
import { explorerOf } from '../parts/explorer.ts';

/** One set of definitions in use. */
export interface InUse {
  /** The compiled model, also as the store follows it. */
  readonly indexed: FollowedDefinitions;
  readonly definitions: Definitions;
  /** The store as these definitions define it. */
  readonly store: Store;
  /** When they came into use, in milliseconds since 1970 UTC. */
  readonly since: number;
}

/** All that is derived from one set of definitions. It never changes: a request ends with the one it began with. */
export interface Interface {
  readonly engine: Engine;
  readonly listener: Listener;
}

/** Derives an interface. */
export function createInterface(shared: Shared, { indexed, definitions, store, since }: InUse): Interface {
  const { start, verify, authorization, audit, cursors, chargeClient, newId, jobs } = shared;
  const { config, url, log, now } = start;
  const { model, extract } = indexed;
  /** The engine of a partition whose records are definitions. */
  const within = (of: PartitionDefinitions): Engine => ({
    ...engine,
    in: () => engines.get(of) ?? engine,
    model: of.model,
    extract: of.extract,
    definitions: of.definitions,
    validator: lazyValidator(of.definitions, of.model, config),
  });
  const engines = new WeakMap<PartitionDefinitions, Engine>();
  const engine: Engine = {
    in({ definitions: applied }) {
      const own = applied.model === model ? undefined : indexed.stored.of(applied.model);
      if (own === undefined) return engine;
      const made = engines.get(own) ?? within(own);
      engines.set(own, made);
      return made;
    },
    model,
    store: observedStore(start, store),
    audit: audit?.with(model, extract) ?? noAudit,
    secured: verify !== undefined,
    offered: authorization === undefined ? undefined : authorizationOffered(model, url),
    extract,
    definitions,
    operations: laterOperations,
    jobs,
    views: viewsOf(definitions, model.definitions),
    terminologyOperations: terminologyOperationsOf(config),
    expander: expanderOf(config),
    validator: lazyValidator(definitions, model, config),
    cursors,
    chargeClient,
    now,
    newId,
    fault: (error, requestId) => log.fault(error, requestId),
    handling: config.handling,
    searchDeadline: config.searchDeadline,
    maxUrl: config.maxUrl,
    maxBody: config.maxBody,
    maxBundleEntries: config.maxBundleEntries,
    since,
  };
  return { engine, listener: createListener(shared, engine) };
}

/** The listener of requests that follow the definitions of an engine, with the limits of the server. */
function createListener(shared: Shared, engine: Engine): Listener {
  const { start, verify, authorization, headers, clientAddress, uploads, rooms, places } = shared;
  const { config, url, log, meters, traces, closing } = start;
  const { compression, trustedProxies } = config;
  const load = authorization?.with(engine);
  const app = createApp({
    engine,
    publicUrl: url,
    verify,
    authorized: authorization && load && { load, sendsIss: authorization.sendsIss },
    origins: originsOf(engine, authorization),
    headers,
    body: { most: config.maxBody, bundle: config.maxBundle, timeout: config.bodyTimeout },
    uploads,
    rooms,
    places,
    clientAddress,
    pages: config.explorer === 'on' ? explorerOf(shared, engine, load) : undefined,
    observers: [
      ...(meters === undefined ? [] : [measured(meters, engine.model)]),
      ...(traces === undefined ? [] : [traced(traces, engine.model)]),
    ],
    respond: createRespond({
      headers,
      types: engine.model.definitions,
      compression: compression === 'on' || (compression === 'auto' && trustedProxies.length === 0),
      threshold: config.compressionThreshold,
    }),
    closing,
    log,
  });
  return app.callback();
}
