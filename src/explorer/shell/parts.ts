import type { IncomingMessage } from 'node:http';
import type { AnswerRooms } from '../../http/connection/places.ts';
import type { TokenVerifier } from '../../auth/claims.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Brand } from '../../pages/brand.ts';
import type { Log } from '../../observability/log.ts';
import type { Authorization } from '../../smart/authorization.ts';
import type { Registry } from '../../smart/accounts/registered.ts';
import { isLoopback } from '../../config/values.ts';

/** The dependencies of the pages. */
export interface ExplorerParts {
  readonly engine: Engine;
  /** The base of absolute URLs; no trailing slash. */
  readonly publicUrl: string;
  /** Undefined for a server with open access. */
  readonly verify: TokenVerifier | undefined;
  /** The authorization server; undefined without one. */
  readonly authorized: SignInParts | undefined;
  /** Looks up the demonstration, if it is for visitors of this machine. */
  readonly demonstration: () => Promise<DemonstrationParts | undefined>;
  /** Idle timeout and maximum lifetime of a session, in milliseconds. */
  readonly sessionIdle: number;
  readonly sessionLifetime: number;
  /** Milliseconds in which a form must arrive. */
  readonly bodyTimeout: number;
  readonly brand: Brand;
  readonly clientAddress: (request: IncomingMessage) => string;
  /** The room of pages among the answers of this process. */
  readonly rooms: AnswerRooms;
  readonly log: Pick<Log, 'fault'>;
}

export interface SignInParts {
  readonly load: () => Promise<Pick<Authorization, 'server'>>;
  readonly registry: Pick<Registry, 'user'>;
}

export interface DemonstrationParts {
  /** Id of its partition. */
  readonly partition: string;
  /** Queries with results, as paths below the base. */
  readonly examples: readonly string[];
  /** Undefined where no client needs a token, or none is issued here. */
  readonly accounts: DemonstrationAccounts | undefined;
}

export interface DemonstrationAccounts {
  /** The users, whose passwords are public. */
  readonly users: readonly { readonly id: string; readonly name: string; readonly password: string }[];
  /** A new token of the backend that only reads, and the name of that client. */
  readonly token: (caller: Caller) => Promise<{ readonly token: string; readonly name: string }>;
}

/** The caller of a token, for the audit. */
export interface Caller {
  readonly address: string;
  readonly requestId: string;
}

/**
 * The demonstration, if the visitor may use its accounts: a browser of this machine that names it by a loopback host. A
 * page of another site that makes its name resolve to this machine sends its own name.
 */
export async function demonstrationOf({
  parts,
  request,
}: {
  readonly parts: Pick<ExplorerParts, 'demonstration'>;
  readonly request: IncomingMessage;
}): Promise<DemonstrationParts | undefined> {
  const host = (request.headers.host ?? '').replace(/:\d*$/, '').replace(/^\[|\]$/g, '');
  const address = (request.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return isLoopback(host) && isLoopback(address) ? parts.demonstration() : undefined;
}
