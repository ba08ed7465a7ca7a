import { createAudit } from '../../audit/audit.ts';
import type { AuditOfServer } from '../../audit/audit.ts';
import { ChainedLog } from '../../audit/log/log.ts';
import type { AuditLog, AuditSink } from '../../audit/log/log.ts';
import { startPruning } from '../../audit/pruning.ts';
import type { Store } from '../../store/port/store.ts';
import type { Start } from '../start.ts';

/** The log of audit events, and the deletion of events that are older than the settings allow. */
export function openAuditLog({ config, url, now, log, opened }: Start, store: Store): AuditLog {
  const auditLog = new ChainedLog(store.chains, now);
  opened(() => auditLog.close());
  opened(startPruning(auditLog, url, config.auditDays, now, log));
  return auditLog;
}

/** Starts the audit, whose events are appended to `auditLog`. */
export function startAudit({ config, url, now, log, opened }: Start, auditLog: AuditSink): AuditOfServer {
  const audit = createAudit({
    log: auditLog,
    publicUrl: url,
    now,
    whenFailing: config.auditFailure,
    fault: error => log.fault(error, 'none'),
  });
  opened(() => audit.close());
  return audit;
}
