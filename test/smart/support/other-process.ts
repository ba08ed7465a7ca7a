import { createTokenVerifier } from '../../../src/auth/token/verifier.ts';
import { tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import { revocationCollection } from '../../../src/auth/token/revocations.ts';
import type { Config } from '../../../src/config/read.ts';
import type { RunningEngine } from '../../../src/engine/engine.ts';
import { createApp } from '../../../src/http/app.ts';
import { createClientAddress, createShareOf } from '../../../src/http/connection/client-address.ts';
import { createRespond, fixedHeaders } from '../../../src/http/answer/respond.ts';
import { createAnswerRooms, createPlaces } from '../../../src/http/connection/places.ts';
import { createSlots } from '../../../src/limits/slots.ts';
import { listen } from '../../../src/http/server.ts';
import { createUploads } from '../../../src/http/body/uploads.ts';
import type { Log } from '../../../src/observability/log.ts';
import { authorizeRate } from '../../../src/smart/provider/endpoints.ts';
import { openAuthorization } from '../../../src/smart/open-authorization.ts';
import { createBuckets } from '../../../src/limits/token-buckets.ts';

/**
 * What another process would be that serves the same store under the same public URL: it has the store alone in common,
 * and remembers for itself.
 */
export async function otherProcess(
  { engine, url }: RunningEngine,
  config: Config,
  log: Log,
  now: () => number,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const { store } = engine;
  const headers = fixedHeaders(false);
  const clientAddress = createClientAddress([]);
  const closing = (): boolean => false;
  const keyFile = config.keyFile ?? '';
  const authorized = await openAuthorization({
    store,
    model: engine.model,
    now,
    config,
    keyFile,
    publicUrl: url,
    demo: false,
    clientAddress,
    log,
    rateLimit: createBuckets(authorizeRate, now),
  });
  const verify = createTokenVerifier({
    tokens: store.documents(tokenCollection),
    revocations: store.documents(revocationCollection),
    issuers: [],
    publicUrl: url,
    now,
    demo: false,
    notice: () => {},
  });
  const app = createApp({
    engine,
    publicUrl: url,
    verify,
    authorized: { load: authorized.with(engine), sendsIss: authorized.sendsIss },
    origins: authorized.origins,
    headers,
    body: { most: config.maxBody, bundle: config.maxBundle, timeout: config.bodyTimeout },
    rooms: createAnswerRooms(() => undefined),
    uploads: createUploads(createSlots(1), 1_000),
    places: createPlaces(config.maxRequests, createShareOf([]), () => {}),
    respond: createRespond({ headers, types: engine.model.definitions, compression: false, threshold: 1_000 }),
    clientAddress,
    closing,
    log,
  });
  const answer = app.callback();
  const listening = await listen(config, (request, response) => void answer(request, response), headers, {
    notice: () => {},
    unread: () => {},
  });
  return { port: listening.port, close: () => listening.close() };
}
