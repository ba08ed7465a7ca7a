import { createApp } from '../http/app.ts';
import { measured, traced } from '../http/middleware/observe.ts';
import { createPlaces } from '../http/places.ts';
import { createRespond } from '../http/respond.ts';
import { createShareOf } from '../http/shares.ts';
import { createUploads, longestUploadWait, mostUploads } from '../http/uploads.ts';
import { originsOf } from './authorization.ts';
import { explorerOf } from './explorer.ts';
import { bucketsOf } from './rate-limits.ts';
import type { Listener } from './port.ts';
import type { Served } from './served.ts';
import type { Start } from './start.ts';

/** The listener of the port, with the limits of the settings. */
export function createListener(start: Start, served: Served): Listener {
  const { config, url, log, notice, now, meters, traces, closing } = start;
  const { engine, authorized, headers } = served;
  const { compression, trustedProxies } = config;
  const uploads = createUploads(mostUploads, longestUploadWait);
  const places = createPlaces(
    config.maxRequests,
    createShareOf(trustedProxies),
    notice,
    bucketsOf(config.rateLimitAddress, now),
  );
  meters?.queue('requests', () => places.taken);
  meters?.queue('uploads', () => uploads.waiting);
  const app = createApp({
    ...served,
    publicUrl: url,
    origins: originsOf(engine, authorized),
    body: { most: config.maxBody, timeout: config.bodyTimeout },
    uploads,
    places,
    pages: explorerOf(start, served),
    observers: [
      ...(meters === undefined ? [] : [measured(meters, engine.model)]),
      ...(traces === undefined ? [] : [traced(traces, engine.model)]),
    ],
    respond: createRespond({
      headers,
      compression: compression === 'on' || (compression === 'auto' && trustedProxies.length === 0),
      threshold: config.compressionThreshold,
    }),
    closing,
    log,
  });
  return app.callback();
}
