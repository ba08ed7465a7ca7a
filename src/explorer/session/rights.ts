import type { IncomingMessage } from 'node:http';
import type { Access } from '../../auth/access.ts';
import { FhirError } from '../../fhir/error.ts';
import { createAccessOf } from '../../http/request/access.ts';
import type { Cookies } from '../../pages/cookies.ts';
import type { ExplorerParts } from '../shell/parts.ts';
import type { VisitedPartition } from '../shell/paths.ts';
import type { Visit } from '../shell/visit.ts';
import { createExplorerSessions } from './sessions.ts';
import type { ExplorerSession, ExplorerSessions } from './sessions.ts';

/** The cookie with the secret of the session (sessions.ts). */
export const explorerCookie = 'explorer';

/** The rights of a visitor in a partition; without them, the error of a token that was rejected. */
export interface Rights {
  readonly access: Access | undefined;
  readonly refused: FhirError | undefined;
}

export const sessionsOf = ({ engine, sessionIdle }: ExplorerParts): ExplorerSessions =>
  createExplorerSessions(engine.store, sessionIdle, engine.now);

/** The session of a browser. Throws the errors of the store. */
export async function findSession(
  parts: ExplorerParts,
  request: IncomingMessage,
  cookies: Cookies,
): Promise<ExplorerSession | undefined> {
  if (request.headers.authorization !== undefined || !isOwnPage(request, parts.publicUrl)) return undefined;
  const secret = cookies.read(explorerCookie);
  return secret === undefined ? undefined : sessionsOf(parts).find(secret);
}

/**
 * False for a request that a page of another origin sends by script, whose cookies do not count: such a page could read
 * the answer, as apps may. https://www.w3.org/TR/fetch-metadata/
 */
export function isOwnPage({ headers }: Pick<IncomingMessage, 'headers'>, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  if (origin !== undefined && origin !== 'null' && origin !== new URL(publicUrl).origin) return false;
  if (site === undefined) return origin !== 'null';
  return site === 'same-origin' || site === 'none' || (mode === 'navigate' && origin === undefined);
}

/** The rights by the token of the request, or else of the session. Throws the errors of the store. */
export async function rightsOf(
  parts: ExplorerParts,
  request: IncomingMessage,
  place: VisitedPartition | undefined,
  session: ExplorerSession | undefined,
): Promise<Rights> {
  if (place === undefined) return { access: undefined, refused: undefined };
  try {
    return { access: await accessOf(parts, place, tokenHeaders(request, place, session)), refused: undefined };
  } catch (error) {
    if (!(error instanceof FhirError) || error.status >= 500) throw error;
    return { access: undefined, refused: error };
  }
}

type Headed = Pick<IncomingMessage, 'headers' | 'rawHeaders'>;

function tokenHeaders(
  request: IncomingMessage,
  { partition }: VisitedPartition,
  session: ExplorerSession | undefined,
): Headed {
  if (request.headers.authorization !== undefined) return request;
  return session?.partition === partition.id ? bearer(session.token) : { headers: {}, rawHeaders: [] };
}

const bearer = (token: string): Headed => {
  const authorization = `Bearer ${token}`;
  return { headers: { authorization }, rawHeaders: ['Authorization', authorization] };
};

/** Decided where the rights of clients are. Throws FhirError 401. */
const accessOf = (
  { engine, verify }: ExplorerParts,
  place: VisitedPartition,
  request: Headed,
): Access | Promise<Access> => createAccessOf(engine, verify, '/r4/:partition')(request, { query: '', ...place });

/** The rights of a token. Throws FhirError 401 for one that is not valid in the partition. */
export const accessByToken = (parts: ExplorerParts, place: VisitedPartition, token: string): Access | Promise<Access> =>
  accessOf(parts, place, bearer(token));

/**
 * Begins the session of a visitor with a token, which lasts as long as the token, and at most `sessionLifetime`. Throws
 * FhirError 401 for a token that is not valid in the partition.
 */
export async function beginSession(
  { parts, engine, cookies }: Visit,
  place: VisitedPartition,
  { token, name, own }: { readonly token: string; readonly name?: string; readonly own: boolean },
): Promise<void> {
  const access = await accessByToken(parts, place, token);
  if (access === 'open') return;
  const { subject, client, expires } = access;
  const user = name ?? (subject === undefined ? client : await nameOf(parts, subject));
  const before = cookies.read(explorerCookie);
  if (before !== undefined) await sessionsOf(parts).end(before);
  const session = { token, partition: place.partition.id, name: user, own };
  const end = Math.min(expires, engine.now() + parts.sessionLifetime);
  cookies.set(explorerCookie, await sessionsOf(parts).begin(session, end));
}

const nameOf = async ({ authorized }: Visit['parts'], id: string): Promise<string> =>
  (await authorized?.registry.user(id))?.name ?? id;
