import { createApp } from '../http/app.ts';
import { measured, traced } from '../http/middleware/observe.ts';
import { createRespond } from '../http/answer/respond.ts';
import type { Engine } from '../interaction/interaction.ts';
import { originsOf } from './parts/authorization.ts';
import { explorerOf } from './parts/explorer.ts';
import type { Listener } from './port.ts';
import type { Shared } from './shared.ts';

/** The listener of requests that follow the definitions of an engine, with the limits of the server. */
export function createListener(shared: Shared, engine: Engine): Listener {
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
