import type { AuditSink } from '../audit/log/log.ts';
import { printRecord } from '../audit/log/record.ts';
import type { UnavailableReason } from '../store/errors.ts';
import type { Link } from './link.ts';
import type { ParentCalls } from './protocol.ts';

/** The audit log of a child: its parent appends the events. */
export interface ChildAuditSink extends AuditSink {
  /** Why the events of any child cannot be stored; undefined if they can. */
  setFailing(reason: UnavailableReason | undefined): void;
}

export function createAuditSink(link: Link<ParentCalls>): ChildAuditSink {
  let failing: UnavailableReason | undefined;
  return {
    append: async events => (events.length === 0 ? undefined : link.ask('append', events.map(printRecord).join('\n'))),
    isReported: true,
    refused: refusal => link.tell('refused', refusal),
    get failing() {
      return failing;
    },
    setFailing: reason => void (failing = reason),
  };
}
