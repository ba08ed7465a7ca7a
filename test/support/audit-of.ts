import type { AuditEntry, ChainPlace } from '../../src/store/audit/line.ts';
import { ChainedLog } from '../../src/audit/log/log.ts';

interface Chained {
  readonly chains: ChainPlace;
}

/** The audit log of an open store, for reading. */
export const auditOf = ({ chains }: Chained): ChainedLog => new ChainedLog(chains, Date.now);

/** Appends events to a chain of their own. */
export async function appendEvents(store: Chained, events: readonly AuditEntry[]): Promise<void> {
  const log = auditOf(store);
  await log.append(events);
  await log.close();
}
