import { createCookies } from '../../pages/cookies.ts';
import { callEndpoint } from '../../smart/provider/call-endpoint.ts';
import { explorerId } from '../../smart/accounts/explorer-client.ts';
import type { Reply, Visit } from '../shell/visit.ts';
import { explorerCookie, findSession, sessionsOf } from './rights.ts';

/** Ends the session, and revokes a token that was issued to the explorer. */
export async function signOutPosted({ parts, request, response }: Visit): Promise<Reply> {
  const cookies = createCookies(parts.publicUrl);
  const secret = cookies.read(request, response, explorerCookie);
  const session = await findSession(parts, request, response);
  if (session?.own === true && parts.authorized !== undefined) {
    const { server } = await parts.authorized.load();
    await callEndpoint(server, '/revoke', { client_id: explorerId, token: session.token }, request, parts.publicUrl);
  }
  if (secret !== undefined) await sessionsOf(parts).end(secret);
  cookies.clear(response, explorerCookie);
  return { kind: 'see', path: '/' };
}
