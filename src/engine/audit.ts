import { createAudit } from '../audit/audit.ts';
import type { AuditOfServer } from '../audit/audit.ts';
import { ChainedLog } from '../audit/log/log.ts';
import { startPruning } from '../audit/pruning.ts';
import type { Store } from '../store/store.ts';
import type { Start } from './start.ts';

/** Starts the audit, and the deletion of events that are older than the settings allow. */
export function startAudit(start: Start, store: Store): AuditOfServer {
  const { config, url, now, log, opened } = start;
  const auditLog = new ChainedLog(store.chains, now);
  opened(() => auditLog.close());
  const audit = createAudit({
    log: auditLog,
    publicUrl: url,
    now,
    whenFailing: config.auditFailure,
    fault: error => log.fault(error, 'none'),
  });
  opened(() => audit.close());
  opened(startPruning(auditLog, url, config.auditDays, now, log));
  return audit;
}
