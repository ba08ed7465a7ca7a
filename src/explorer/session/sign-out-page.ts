import { callEndpoint } from '../../smart/provider/call-endpoint.ts';
import { explorerId } from '../../smart/accounts/explorer-client.ts';
import type { Reply } from '../../pages/reply.ts';
import type { Visit } from '../shell/visit.ts';
import { explorerCookie, findSession, sessionsOf } from './rights.ts';

/** Ends the session, and revokes a token that was issued to the explorer. */
export async function signOutPosted({ parts, request, cookies }: Visit): Promise<Reply> {
  const secret = cookies.read(explorerCookie);
  const session = await findSession(parts, request, cookies);
  if (session?.own === true && parts.authorized !== undefined) {
    const { server } = await parts.authorized.load();
    await callEndpoint(server, '/revoke', { client_id: explorerId, token: session.token }, request, parts.publicUrl);
  }
  if (secret !== undefined) await sessionsOf(parts).end(secret);
  cookies.clear(explorerCookie);
  return { kind: 'see', path: '/' };
}
