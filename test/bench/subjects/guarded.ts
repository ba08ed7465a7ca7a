import { issuedAs } from '../guard-tokens.ts';
import { publicUrl } from '../public-url.ts';
import { noAudit } from '../../../src/audit/audit.ts';
import type { TokenVerifier } from '../../../src/auth/claims.ts';
import { digestOf } from '../../../src/auth/token/digest.ts';
import { tokenCollection } from '../../../src/auth/token/own-tokens.ts';
import { revocationCollection } from '../../../src/auth/token/revocations.ts';
import { createTokenVerifier } from '../../../src/auth/token/verifier.ts';
import { readConfig } from '../../../src/config.ts';
import { startEngine } from '../../../src/engine/engine.ts';
import { createApp } from '../../../src/http/app.ts';
import { createClientAddress } from '../../../src/http/client-address.ts';
import { fixedHeaders } from '../../../src/http/headers.ts';
import { createPlaces } from '../../../src/http/places.ts';
import { createShareOf } from '../../../src/http/shares.ts';
import { createRespond } from '../../../src/http/respond.ts';
import { listen } from '../../../src/http/server.ts';
import { createUploads, longestUploadWait, mostUploads } from '../../../src/http/uploads.ts';
import type { Engine } from '../../../src/interaction/interaction.ts';
import { createLog } from '../../../src/observability/log.ts';
import { answerQuestions } from './serve.ts';

// A child process: one engine that answers on three ports, so that the same code, made by the same compiler, reads the
// same pages of the same store: open to all, with its guard, and with guard and audit. The parent knows the tokens.
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

/** The port on which the engine answers as well, with other parts. */
async function portOf(changed: Partial<Engine>, verify: TokenVerifier | undefined): Promise<number> {
  const app = createApp({
    engine: { ...engine, ...changed },
    publicUrl,
    verify,
    authorized: undefined,
    origins: undefined,
    headers,
    body: { most: config.maxBody, timeout: config.bodyTimeout },
    uploads: createUploads(mostUploads, longestUploadWait),
    places: createPlaces(config.maxRequests, createShareOf([]), () => {}),
    respond: createRespond({
      headers,
      compression: true,
      threshold: config.compressionThreshold,
    }),
    clientAddress: createClientAddress([]),
    closing: () => false,
    log: createLog(config.log),
  });
  const handle = app.callback();
  const { port } = await listen(
    config,
    (request, response) => void handle(request, response),
    headers,
    () => {},
  );
  return port;
}

const ports = {
  open: await portOf({ audit: noAudit, secured: false }, undefined),
  guarded: await portOf({ audit: noAudit }, verify),
  audited: await portOf({}, verify),
};
answerQuestions(ports, () => running.close());
