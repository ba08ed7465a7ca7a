import { noAudit } from '../../audit/audit.ts';
import type { Definitions } from '../../definitions/definitions.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Model } from '../../model/model.ts';
import { authorizationOffered } from '../../auth/offered.ts';
import type { Store, StoreDefinitions } from '../../store/port/store.ts';
import { expanderOf } from '../../terminology/expander.ts';
import { terminologyOperationsOf } from '../../terminology/forward.ts';
import { lazyValidator } from '../../validation/lazy.ts';
import { createListener } from '../app.ts';
import { observedStore } from '../parts/observe.ts';
import { offeredModel } from './offered-model.ts';
import type { Listener } from '../port.ts';
import type { Shared } from '../shared.ts';

/** One set of definitions in use. */
export interface InUse {
  /** The compiled model, also as the store follows it. */
  readonly indexed: StoreDefinitions & { readonly model: Model };
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
  const { start, verify, authorization, audit, cursors, chargeClient, newId } = shared;
  const { config, url, log, notice, now } = start;
  const { model, extract } = indexed;
  const engine: Engine = {
    model: offeredModel(model, store, notice),
    store: observedStore(start, store),
    audit: audit?.with(model, extract) ?? noAudit,
    secured: verify !== undefined,
    offered: authorization === undefined ? undefined : authorizationOffered(model, url),
    extract,
    definitions,
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
