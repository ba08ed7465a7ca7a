import type { AuditLog } from './log/log.ts';
import { serverEvent } from './command-event.ts';
import { counted } from '../observability/counted.ts';

const day = 86_400_000;
const hour = 3_600_000;

/** Receives reports of pruned events and of failures. */
export interface PruningLog {
  notice(text: string): void;
  fault(error: unknown, requestId: string): void;
}

/**
 * Prunes the events older than this many days, now and once an hour; the returned function stops it. Pruning is an
 * event itself.
 */
export function startPruning(
  audit: AuditLog,
  publicUrl: string,
  days: number,
  now: () => number,
  log: PruningLog,
): () => Promise<void> {
  let work: Promise<void> | undefined;
  const prune = (): void => {
    work ??= pruneOlder(audit, publicUrl, days, now)
      .then(
        events =>
          events > 0 && log.notice(`${counted(events, 'audit event')} older than ${counted(days, 'day')} deleted.`),
        error => log.fault(error, 'none'),
      )
      .then(() => {
        work = undefined;
      });
  };
  prune();
  const timer = setInterval(prune, hour);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await work;
  };
}

async function pruneOlder(audit: AuditLog, publicUrl: string, days: number, now: () => number): Promise<number> {
  const before = now() - days * day;
  const events = await audit.prune(before);
  if (events === 0) return 0;
  const details = { before: new Date(before).toISOString().slice(0, 10), events };
  const action = { what: 'audit prune', kind: 'audit', outcome: '0', details } as const;
  await audit.append([serverEvent(publicUrl, now(), action)]);
  return events;
}
