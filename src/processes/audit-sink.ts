import type { AuditSink } from '../audit/log/log.ts';
import { printRecord } from '../audit/log/record.ts';
import type { Link } from './link.ts';
import type { ParentCalls } from './protocol.ts';

/** The audit log of a child: its parent appends the events. */
export interface ChildAuditSink extends AuditSink {
  /** Whether the events of any child cannot be stored. */
  setFailing(failing: boolean): void;
}

export function createAuditSink(link: Link<ParentCalls>): ChildAuditSink {
  let isFailing = false;
  return {
    append: async events => (events.length === 0 ? undefined : link.ask('append', events.map(printRecord).join('\n'))),
    refused: refusal => link.tell('refused', refusal),
    get failing() {
      return isFailing;
    },
    setFailing: failing => void (isFailing = failing),
  };
}
