import type { TokenVerifier } from '../auth/claims.ts';
import type { ClientAddress } from '../http/client-address.ts';
import type { Engine } from '../interaction/interaction.ts';
import type { OpenedAuthorization } from '../smart/open-authorization.ts';

/** The parts that answer requests. */
export interface Served {
  readonly engine: Engine;
  /** Undefined if access is open. */
  readonly verify: TokenVerifier | undefined;
  readonly authorized: OpenedAuthorization | undefined;
  readonly clientAddress: ClientAddress;
  /** Sent with every answer. */
  readonly headers: Readonly<Record<string, string>>;
}
