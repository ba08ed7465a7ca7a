import type { VisitedPartition } from '../shell/paths.ts';
import type { Visit } from '../shell/visit.ts';
import { accessByToken, explorerCookie, sessionsOf } from './rights.ts';

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
