import type { TokenVerifier } from '../auth/claims.ts';
import { createApp } from '../http/app.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { measured, traced } from '../http/middleware/observe.ts';
import { createPlaces } from '../http/places.ts';
import { createRespond } from '../http/respond.ts';
import { createShareOf } from '../http/shares.ts';
import { createUploads, longestUploadWait, mostUploads } from '../http/uploads.ts';
import type { Engine } from '../interaction/interaction.ts';
import { makeOnce } from '../make-once.ts';
import { readBrand } from '../pages/brand.ts';
import type { OpenedAuthorization } from '../smart/open-authorization.ts';
import { originsOf } from './authorization.ts';
import { bucketsOf } from './rate-limits.ts';
import type { Listener } from './port.ts';
import type { Start } from './start.ts';

/** The parts that answer requests. */
export interface Served {
  readonly engine: Engine;
  /** Undefined if access is open. */
  readonly verify: TokenVerifier | undefined;
  readonly authorized: OpenedAuthorization | undefined;
  readonly clientAddress: ClientAddress;
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The listener of the port, with the limits of the settings. */
export function createListener(
  { config, url, log, notice, now, meters, traces, closing }: Start,
  served: Served,
): Listener {
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
    pages: makeOnce(async () => {
      const { createExplorer } = await import('../explorer/explorer.ts'); // with the first page
      const { verify, clientAddress } = served;
      return createExplorer({ engine, publicUrl: url, verify, brand: readBrand(config), clientAddress, log });
    }),
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
