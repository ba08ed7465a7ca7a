import { isLoopback } from '../../config/values.ts';
import type { DemonstrationParts } from '../shell/parts.ts';
import type { Place } from '../shell/place.ts';
import type { Visit } from '../shell/visit.ts';

/**
 * The demonstration, if the visitor may use its backend without a sign-in: a browser of this machine that names it by a
 * loopback host. A page of another site that makes its name resolve to this machine sends its own name.
 */
export async function demonstrationOf(
  { parts, request }: Visit,
  { partition }: Place,
): Promise<DemonstrationParts | undefined> {
  const host = (request.headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  if (!isLoopback(host) || !isLoopback(address)) return undefined;
  const demonstration = await parts.demonstration();
  return demonstration?.partition === partition.id ? demonstration : undefined;
}
