import type { IncomingMessage } from 'node:http';
import type { TokenVerifier } from '../../auth/claims.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Brand } from '../../pages/brand.ts';
import type { Log } from '../../observability/log.ts';

/** The dependencies of the pages. */
export interface ExplorerParts {
  readonly engine: Engine;
  /** The base of absolute URLs; no trailing slash. */
  readonly publicUrl: string;
  /** Undefined for a server with open access. */
  readonly verify: TokenVerifier | undefined;
  readonly brand: Brand;
  readonly clientAddress: (request: IncomingMessage) => string;
  readonly log: Pick<Log, 'fault'>;
}
