import type { AuditOfServer } from '../audit/audit.ts';
import type { TokenVerifier } from '../auth/claims.ts';
import { createAnswerRooms, createPlaces } from '../http/connection/places.ts';
import type { AnswerRooms, Places } from '../http/connection/places.ts';
import { createClientAddress, createShareOf } from '../http/connection/client-address.ts';
import type { ClientAddress } from '../http/connection/client-address.ts';
import { createUploads, longestUploadWait } from '../http/body/uploads.ts';
import type { Uploads } from '../http/body/uploads.ts';
import type { ChargeClient } from '../interaction/interaction.ts';
import { createCursors } from '../search/cursor.ts';
import type { Cursors } from '../search/cursor.ts';
import type { OpenedAuthorization } from '../smart/open-authorization.ts';
import type { Store } from '../store/port/store.ts';
import type { AuditSink } from '../audit/log/log.ts';
import { createClientLimit } from '../interaction/client-limit.ts';
import type { Model } from '../model/model.ts';
import { tokenCollection } from '../auth/token/own-tokens.ts';
import { revocationCollection } from '../auth/token/revocations.ts';
import { usualLimits } from '../auth/token/settings.ts';
import { createTokenVerifier } from '../auth/token/verifier.ts';
import { startAudit } from './parts/audit.ts';
import { openJobs } from './parts/jobs.ts';
import type { OpenedJobs } from './parts/jobs.ts';
import { openAuthorizationServer } from './parts/authorization.ts';
import type { ProcessLimits } from './parts/limits.ts';
import type { Start } from './start.ts';

/** The parts of a server that stay when its definitions change. */
export interface Shared {
  readonly start: Start;
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if access is open. */
  readonly verify: TokenVerifier | undefined;
  /** Undefined without an authorization server. */
  readonly authorization: OpenedAuthorization | undefined;
  /** Undefined: nothing is audited. */
  readonly audit: AuditOfServer | undefined;
  readonly cursors: Cursors;
  readonly chargeClient: ChargeClient | undefined;
  readonly clientAddress: ClientAddress;
  readonly uploads: Uploads;
  readonly rooms: AnswerRooms;
  readonly places: Places;
  /** A new random logical id. */
  readonly newId: () => string;
  readonly jobs: OpenedJobs;
}

/** What a caller of the engine injects. */
export interface Injected {
  readonly limits: ProcessLimits;
  /** Undefined: nothing is audited. */
  readonly auditLog: AuditSink | undefined;
  /** Verifies tokens. */
  readonly verify: TokenVerifier | undefined;
  readonly newId: () => string;
}

/** Opens the shared parts; `model` is that of the first definitions. Rejects with a sentence for the operator. */
export async function openShared(
  start: Start,
  headers: Readonly<Record<string, string>>,
  store: Store,
  model: Model,
  { limits, auditLog, verify: injected, newId }: Injected,
): Promise<Shared> {
  const { config, now, notice, meters } = start;
  const cursors = await createCursors(store.documents('cursors'), now);
  const verify = verifierOf(start, store, injected);
  const clientAddress = createClientAddress(config.trustedProxies);
  const audit = auditLog && startAudit(start, auditLog);
  const authorization =
    injected === undefined ? await openAuthorizationServer(start, store, model, clientAddress, limits) : undefined;
  const uploads = createUploads(limits.uploads, longestUploadWait);
  const shareOf = createShareOf(config.trustedProxies);
  const rooms = createAnswerRooms(shareOf);
  const places = createPlaces(limits.mostRequests, shareOf, notice, limits.ofAddress);
  meters?.queue('requests', () => places.taken);
  meters?.queue('uploads', () => uploads.waiting);
  const chargeClient = limits.ofClient && createClientLimit(limits.ofClient);
  return {
    start,
    headers,
    verify,
    authorization,
    audit,
    cursors,
    chargeClient,
    clientAddress,
    uploads,
    rooms,
    places,
    newId,
    jobs: openJobs(start, store),
  };
}

/**
 * The verifier of tokens: the injected one, or that of tokens of this server and of the issuers of the settings.
 * Undefined if access is open.
 */
function verifierOf(
  { config, url, now, demo, notice }: Start,
  store: Store,
  injected: TokenVerifier | undefined,
): TokenVerifier | undefined {
  if (config.access === 'open') {
    notice(openToAll);
    return undefined;
  }
  if (injected !== undefined) return injected;
  return createTokenVerifier({
    tokens: store.documents(tokenCollection),
    revocations: store.documents(revocationCollection),
    issuers: config.issuers,
    publicUrl: url,
    now,
    demo,
    notice,
    limits: { ...usualLimits, introspections: Math.max(1, Math.floor(usualLimits.introspections / config.processes)) },
  });
}

const openToAll =
  'Access is open: no token is required, and every client that can connect to this port may do everything.';
