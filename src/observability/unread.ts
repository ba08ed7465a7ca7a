import type { Log } from './log.ts';
import type { Meters } from './meters.ts';

/** A request that was answered although it could not be read: no well-formed HTTP, too long, or too slow. */
export interface UnreadRequest {
  readonly status: number;
  readonly requestId: string;
  /** The address at the other end of its connection. */
  readonly address: string;
}

/** Logs and counts such requests as others whose path was not resolved. `meters` is asked each time. */
export function reportUnread(log: Log, meters: () => Meters | undefined): (request: UnreadRequest) => void {
  return ({ status, requestId, address }) => {
    meters()?.request({ interaction: 'none', type: 'none', status, milliseconds: 0 });
    log.request({
      method: 'none',
      route: 'none',
      interaction: undefined,
      status,
      complete: true,
      milliseconds: 0,
      requestId,
      client: address,
    });
  };
}
