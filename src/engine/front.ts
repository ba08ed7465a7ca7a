import type { AuditOfServer } from '../audit/audit.ts';
import type { AuditLog } from '../audit/log/log.ts';
import type { PortReport } from '../http/server.ts';
import type { MetricsOfProcess } from '../observability/prometheus.ts';
import type { Store } from '../store/port/store.ts';
import type { Port } from './port.ts';
import type { Start } from './start.ts';

/**
 * What answers requests instead of an HTTP server in this process: child processes. The engine here keeps the store up,
 * writes for them, and changes the definitions.
 */
export interface Front {
  /** Like `openPort`. */
  openPort(config: Start['config'], headers: Readonly<Record<string, string>>, report: PortReport): Promise<Port>;
  /** Starts the children. Rejects with a sentence for the operator if one cannot start. */
  start(parts: FrontParts): Promise<void>;
  /** Resolves once the children follow the current definitions. */
  follow(): Promise<void>;
  /** The children read the file of accounts again. Never rejects. */
  reloadAccounts(): Promise<void>;
  /** The metrics of the children, those that have ended too. */
  metrics(): Promise<readonly MetricsOfProcess[]>;
}

/** The parts of the engine that children use. */
export interface FrontParts {
  readonly start: Start;
  /** Not observed. */
  readonly store: Store;
  /** Undefined: nothing is audited. */
  readonly auditLog: AuditLog | undefined;
  readonly audit: AuditOfServer | undefined;
  /** The digest of the current definitions, which the store has. */
  readonly digest: () => string;
}
