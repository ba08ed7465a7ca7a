import type { AuditParts } from '../audit/audit.ts';
import type { AuditSink } from '../audit/log/log.ts';
import { printRecord } from '../store/audit/line.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { ChildWrites } from './child-writes.ts';
import type { Link } from './link.ts';
import type { ParentCalls } from './protocol.ts';

/** The audit log of a child: its parent appends the events. */
export interface ChildAuditSink extends AuditSink {
  /** Why the events of any child cannot be stored; undefined if they can. */
  setFailing(reason: UnavailableReason | undefined): void;
}

/** `whenFailing`: as in `AuditParts`. */
export function createAuditSink(
  link: Link<ParentCalls>,
  writes: ChildWrites,
  whenFailing: AuditParts['whenFailing'],
): ChildAuditSink {
  let failing: UnavailableReason | undefined;
  return {
    append: async events => (events.length === 0 ? undefined : writes.append(events.map(printRecord).join('\n'))),
    // If a write is to be done without its event, the event has to be appended apart from it.
    ...(whenFailing === 'refuse' && { hold: event => writes.hold(printRecord(event)) }),
    isReported: true,
    refused: refusal => link.tell('refused', refusal),
    get failing() {
      return failing;
    },
    setFailing: reason => void (failing = reason),
  };
}
