import { issuedAs } from '../guard-tokens.ts';
import { publicUrl } from '../public-url.ts';
import { noAudit } from '../../../src/audit/audit.ts';
import type { TokenVerifier } from '../../../src/auth/claims.ts';
import { digestOf } from '../../../src/auth/token/digest.ts';
import { tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import { revocationCollection } from '../../../src/auth/token/revocations.ts';
import { createTokenVerifier } from '../../../src/auth/token/verifier.ts';
import { readConfig } from '../../../src/config/read.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import { createExplorer } from '../../../src/explorer/explorer.ts';
import { createApp } from '../../../src/http/app.ts';
import { createClientAddress, createShareOf } from '../../../src/http/connection/client-address.ts';
import { createRespond, fixedHeaders } from '../../../src/http/answer/respond.ts';
import { createAnswerRooms, createPlaces } from '../../../src/http/connection/places.ts';
import { createSlots } from '../../../src/limits/slots.ts';
import { listen } from '../../../src/http/server.ts';
import { createUploads, longestUploadWait, mostUploads } from '../../../src/http/body/uploads.ts';
import type { Engine } from '../../../src/interaction/interaction.ts';
import { readBrand } from '../../../src/pages/brand.ts';
import { createLog } from '../../../src/observability/log.ts';
import { answerQuestions } from './serve.ts';

// A child process: one engine that answers on four ports, so that the same code, made by the same compiler, reads the
// same pages of the same store: open to all, with its guard, with guard and audit, and with pages for browsers too. The
// parent knows the tokens.
// Arguments: the file of the store, a patient.

const [file = '', patient = ''] = process.argv.slice(2);
const place = ['--port', '0', '--public-url', publicUrl, '--store', `sqlite:${file}`];
const config = readConfig([...place, '--log', 'off', '--access', 'token', '--authorization-server', 'off']);
const running = await startEngine(config);
const { engine } = running;
const own = {
  tokens: engine.store.documents(tokenCollection),
  revocations: engine.store.documents(revocationCollection),
};
for (const { token, grant } of issuedAs(patient, `${publicUrl}/r4/demo`)) await own.tokens.put(digestOf(token), grant);
const verify = createTokenVerifier({ ...own, issuers: [], publicUrl, now: Date.now, demo: false, notice: () => {} });
const headers = fixedHeaders(false);

const clientAddress = createClientAddress([]);
const log = createLog(config.log);
const pages = createExplorer({
  engine,
  publicUrl,
  verify,
  authorized: undefined,
  demonstration: async () => undefined,
  sessionIdle: config.sessionIdle,
  sessionLifetime: config.sessionLifetime,
  bodyTimeout: config.bodyTimeout,
  brand: readBrand(config),
  clientAddress,
  rooms: createAnswerRooms(() => undefined),
  log,
});

/** The port on which the engine answers as well, with other parts. */
async function portOf(
  changed: Partial<Engine>,
  verify: TokenVerifier | undefined,
  pages?: Parameters<typeof createApp>[0]['pages'],
): Promise<number> {
  const app = createApp({
    engine: { ...engine, ...changed },
    publicUrl,
    verify,
    authorized: undefined,
    pages,
    origins: undefined,
    headers,
    body: { most: config.maxBody, bundle: config.maxBundle, timeout: config.bodyTimeout },
    rooms: createAnswerRooms(() => undefined),
    uploads: createUploads(createSlots(mostUploads), longestUploadWait),
    places: createPlaces(config.maxRequests, createShareOf([]), () => {}),
    respond: createRespond({
      headers,
      types: engine.model.definitions,
      compression: true,
      threshold: config.compressionThreshold,
    }),
    clientAddress,
    closing: () => false,
    log,
  });
  const handle = app.callback();
  const { port } = await listen(config, (request, response) => void handle(request, response), headers, {
    notice: () => {},
    unread: () => {},
  });
  return port;
}

const ports = {
  open: await portOf({ audit: noAudit, secured: false }, undefined),
  guarded: await portOf({ audit: noAudit }, verify),
  audited: await portOf({}, verify),
  explored: await portOf({}, verify, async () => pages),
};
answerQuestions(ports, () => running.close());
