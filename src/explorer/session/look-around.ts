import { isLoopback } from '../../config/values.ts';
import type { DemonstrationParts } from '../shell/parts.ts';
import type { Visit } from '../shell/visit.ts';

/**
 * The demonstration, if the visitor may use its accounts: a browser of this machine that names it by a loopback host. A
 * page of another site that makes its name resolve to this machine sends its own name.
 */
export async function demonstrationOf({
  parts,
  request,
}: Pick<Visit, 'parts' | 'request'>): Promise<DemonstrationParts | undefined> {
  const host = (request.headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return isLoopback(host) && isLoopback(address) ? parts.demonstration() : undefined;
}
