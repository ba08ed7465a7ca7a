import { ownerType } from '../auth/owned-by.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { Model } from '../model/model.ts';
import type { UnavailableReason } from '../store/port/errors.ts';
import type { AuditEntry } from '../store/audit/line.ts';
import type { Extract } from '../indexing/extract.ts';
import type { AuditSink } from './log/log.ts';
import { AuditQueue, PendingEvents, reasonOf } from './audit-queue.ts';
import { authorizationEvent, signInEvent } from './authorization-event.ts';
import type { AuthorizationAccess, SignInAccess } from './authorization-event.ts';
import { serverEvent } from './command-event.ts';
import type { ServerAction } from './command-event.ts';
import { Refusals } from './refusals.ts';
import type { AuditedAnswer, AuditedRequest, BegunWrite } from './request.ts';
import { createRequestEvents, refusedEvent } from './request-event.ts';
import type { Refusal } from './refusal.ts';

/** Audits requests: one event for each, refusals included. */
export interface Audit {
  /** While events cannot be stored: why, and whether requests are rejected meanwhile. */
  readonly failing: AuditFailure | undefined;
  /** The number of events that are not stored yet. */
  readonly waiting: number;
  /** Throws FhirError 503 while requests are rejected because events cannot be stored. */
  require(): void;
  /**
   * Before a write: the event is durable when it resolves, or before the write is. This, or the write, throws FhirError
   * 503 if it cannot be stored.
   */
  begin(request: AuditedRequest, write: BegunWrite): Promise<void>;
  /** After a request of an authenticated caller, whatever the outcome: durable within a second. */
  answered(request: AuditedRequest, answer: AuditedAnswer): void;
  /** After a refusal of an unauthenticated caller: equal refusals are counted together. */
  refused(status: number, partition: string | undefined, address: string): void;
  /** After a token request of an authenticated client. */
  authorization(access: AuthorizationAccess): void;
  /** After a known user has signed in or out, or failed to. */
  signIn(access: SignInAccess): void;
  /** Stores the waiting events. To be called before the store is closed. */
  close(): Promise<void>;
}

export interface AuditFailure {
  readonly reason: UnavailableReason;
  readonly rejects: boolean;
}

export interface AuditParts {
  readonly log: AuditSink;
  /** The base of absolute URLs. */
  readonly publicUrl: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Whether requests are rejected or served while events cannot be stored. */
  readonly whenFailing: 'refuse' | 'open';
  /** Receives the reason why events cannot be stored. */
  readonly fault: (error: unknown) => void;
}

/** The audit of a server, for all definitions that it serves one after the other. */
export interface AuditOfServer {
  /** The audit of requests that follow these definitions. */
  with(model: Model, extract: Extract): Audit;
  /** Counts a refusal of another process of this server. */
  refused(refusal: Refusal): void;
  /** After an action of the server that no request has caused. */
  acted(action: ServerAction): void;
  /** Events of another process could not be stored in the same log: an own one is written until that succeeds. */
  failed(error: unknown): void;
  /** Why the last write failed; undefined if it succeeded. `watch` is called when that changes. */
  readonly failing: UnavailableReason | undefined;
  watch(changed: (failing: UnavailableReason | undefined) => void): void;
  /** Stores the waiting events. To be called before the store is closed. */
  close(): Promise<void>;
}

/** A failing log is reported once in this time, in milliseconds. */
const noticeInterval = 10_000;

export function createAudit({ log, publicUrl, now, whenFailing, fault }: AuditParts): AuditOfServer {
  const rejects = whenFailing === 'refuse';
  let lastReported = -Infinity;
  const reportFault = (error: unknown): void => {
    if (log.isReported === true || performance.now() - lastReported < noticeInterval) return;
    lastReported = performance.now();
    fault(new Error('The audit log cannot be written', { cause: error }));
  };
  const outage = (lost: number): AuditEntry =>
    serverEvent(publicUrl, now(), { what: 'audit outage', kind: 'audit', outcome: '8', details: { lost } });
  const answers = new PendingEvents();
  let failing: UnavailableReason | undefined;
  let watcher: Parameters<AuditOfServer['watch']>[0] = () => {};
  const changed = (reason: UnavailableReason | undefined): void => watcher((failing = reason));
  const beforeFlush = (): void => answers.flush();
  const batch: AuditQueue = new AuditQueue({ log, fault: reportFault, outage, beforeFlush, changed });
  const addEvent = (make: () => AuditEntry): void => {
    try {
      batch.add(make());
    } catch (error) {
      fault(error); // a defect in one must not block the others
    }
  };
  const refusals = new Refusals(refusal => addEvent(() => refusedEvent(publicUrl, refusal)));
  const audited = (model: Model, extract: Extract): Audit => {
    const owner = ownerType(model) ?? '';
    const events = createRequestEvents(model, extract, publicUrl, now);
    const makeAnswered = (...of: Parameters<typeof events.answered>): void => addEvent(() => events.answered(...of));
    return {
      get failing() {
        const { failing: reason } = batch;
        return reason === undefined ? undefined : { reason, rejects };
      },
      get waiting() {
        return answers.waiting + batch.waiting;
      },
      require() {
        const { failing: reason } = batch;
        if (rejects && reason !== undefined) throw auditUnavailable(reason);
      },
      async begin(request, write) {
        const event = events.begun(request, write);
        try {
          await batch.keep(event);
        } catch (error) {
          if (rejects) throw auditUnavailable(reasonOf(error));
          batch.add(event);
        }
      },
      answered(request, answer) {
        answers.add(makeAnswered, request, answer, now());
        batch.schedule();
      },
      refused(status, partition, address) {
        const time = now();
        const refusal = { status, partition, address, count: 1, start: time, end: time };
        if (log.refused === undefined) refusals.add(refusal);
        else log.refused(refusal);
      },
      authorization: access => batch.add(authorizationEvent(publicUrl, owner, now(), access)),
      signIn: access => batch.add(signInEvent(publicUrl, now(), access)),
      close,
    };
  };
  const close = async (): Promise<void> => {
    refusals.flush();
    const lost = await batch.close();
    if (lost > 0) fault(new Error(`${lost} audit events could not be written and are lost`));
  };
  return {
    with: audited,
    refused: refusal => refusals.add(refusal),
    acted: action => batch.add(serverEvent(publicUrl, now(), action)),
    failed: error => batch.fail(error),
    get failing() {
      return failing;
    },
    watch: next => void (watcher = next),
    close,
  };
}

/** Audits nothing: for benchmarks of its cost. */
export const noAudit: Audit = {
  failing: undefined,
  waiting: 0,
  require: () => {},
  begin: async () => {},
  answered: () => {},
  refused: () => {},
  authorization: () => {},
  signIn: () => {},
  close: async () => {},
};

/** `reason`: also the issue code, as for a failure of the store itself. */
export const auditUnavailable = (reason: UnavailableReason): FhirError =>
  fhirError(503, reason, 'The audit log cannot be written, so that requests are rejected. Retry later.', undefined, {
    'Retry-After': '5',
  });
