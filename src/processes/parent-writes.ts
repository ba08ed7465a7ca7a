import type { AuditParts } from '../audit/audit.ts';
import { reasonOf } from '../audit/audit-queue.ts';
import type { AuditSink } from '../audit/log/log.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { WriteRelay } from '../store/server/relay.ts';
import type { JobAnswer, ParentCalls, WrittenJob } from './protocol.ts';
import { sent } from './sent-error.ts';

export interface ParentWritesParts {
  readonly auditLog: Pick<AuditSink, 'append'> | undefined;
  /** Called when events could not be appended. */
  readonly failed: (error: unknown) => void;
  /** Whether records are refused while events cannot be appended, or written. */
  readonly whenFailing: AuditParts['whenFailing'];
  readonly commit: WriteRelay['commit'];
}

/** Writes for children: the events of a message first, and then its jobs. */
export function createParentWrites({ auditLog, failed, whenFailing, commit }: ParentWritesParts): ParentCalls['write'] {
  const append = async (lines: string): Promise<UnavailableReason | undefined> => {
    if (lines === '') return undefined;
    try {
      await auditLog?.append(lines.split('\n').map(printed => ({ printed })));
      return undefined;
    } catch (error) {
      failed(error);
      return reasonOf(error);
    }
  };
  const run = async (job: WrittenJob): Promise<JobAnswer> => {
    try {
      return { kind: 'done', value: await commit(...job) };
    } catch (error) {
      return { kind: 'failed', error: sent(error) };
    }
  };
  return async (lines, jobs) => {
    const reason = await append(lines);
    const answer = async (job: WrittenJob): Promise<JobAnswer> => {
      const [, isOfRecords] = job;
      return isOfRecords && reason !== undefined && whenFailing === 'refuse' ? { kind: 'refused', reason } : run(job);
    };
    return { failed: reason, jobs: await Promise.all(jobs.map(answer)) };
  };
}
