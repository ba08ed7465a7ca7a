import { ownerType } from '../auth/owned-by.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { IssueCode } from '../fhir/outcome.ts';
import type { Model } from '../model/model.ts';
import { StoreUnavailable } from '../store/errors.ts';
import type { AuditEntry } from './log/entry.ts';
import type { AuditLog } from './log/log.ts';
import type { Extract } from '../indexing/extract.ts';
import { Answers } from './answers.ts';
import { authorizationEvent } from './authorization-event.ts';
import type { AuthorizationAccess } from './authorization-event.ts';
import { Batch } from './batch.ts';
import { serverEvent } from './command-event.ts';
import { Refusals } from './refusals.ts';
import type { AuditedAnswer, AuditedRequest, BegunWrite } from './request.ts';
import { createRequestEvents } from './request-event.ts';
import { signInEvent } from './sign-in-event.ts';
import type { SignInAccess } from './sign-in-event.ts';

/** Accounts for what requests do: one event for each, refusals included. */
export interface Audit {
  /** True while events cannot be kept. */
  readonly failing: boolean;
  /** Throws FhirError 503 where requests are to be refused, since nobody could tell afterwards what they did. */
  require(): void;
  /** Before a write: the event is durable when it resolves. Throws FhirError 503 where it cannot be kept. */
  begin(request: AuditedRequest, write: BegunWrite): Promise<void>;
  /** After a request of somebody who is known, whatever became of it: durable within a second. */
  answered(request: AuditedRequest, answer: AuditedAnswer): void;
  /** After a refusal of somebody who is not: those that are alike are counted together. */
  refused(status: number, partition: string | undefined, address: string): void;
  /** After a request for a token of a client that has shown who it is. */
  authorization(access: AuthorizationAccess): void;
  /** After a user who is known has signed in or out, or failed to. */
  signIn(access: SignInAccess): void;
  /** Keeps what waits. To be called before the store is closed. */
  close(): Promise<void>;
}

export interface AuditParts {
  readonly log: AuditLog;
  readonly model: Model;
  readonly extract: Extract;
  /** What absolute URLs begin with. */
  readonly publicUrl: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** What becomes of requests while events cannot be kept. */
  readonly whenFailing: 'refuse' | 'open';
  /** Is told why events cannot be kept. */
  readonly fault: (error: unknown) => void;
}

/** Milliseconds for which a log that cannot be written is told once. */
const quiet = 10_000;

export function createAudit({ log, model, extract, publicUrl, now, whenFailing, fault }: AuditParts): Audit {
  const owner = ownerType(model) ?? '';
  const events = createRequestEvents(model, extract, publicUrl, now);
  let told = -Infinity;
  let why: IssueCode = 'transient';
  const tell = (error: unknown): void => {
    why = error instanceof StoreUnavailable ? error.reason : 'transient';
    if (performance.now() - told < quiet) return;
    told = performance.now();
    fault(new Error('The audit log cannot be written', { cause: error }));
  };
  const outage = (lost: number): AuditEntry =>
    serverEvent(publicUrl, now(), 'audit-outage', { outcome: '8', details: { lost } });
  const answers = new Answers((request, answer, at) => {
    try {
      batch.add(events.answered(request, answer, at));
    } catch (error) {
      fault(error); // a mistake in one must not keep the others back
    }
  });
  const batch: Batch = new Batch({ log, fault: tell, outage, late: () => answers.flush() });
  const refusals = new Refusals(refusal => {
    try {
      batch.add(events.refused(refusal));
    } catch (error) {
      fault(error); // likewise
    }
  });
  return {
    get failing() {
      return batch.failing;
    },
    require() {
      if (whenFailing === 'refuse' && batch.failing) throw unavailable(why);
    },
    async begin(request, write) {
      const event = events.begun(request, write);
      try {
        await batch.keep(event);
      } catch {
        if (whenFailing === 'refuse') throw unavailable(why);
        batch.add(event);
      }
    },
    answered(request, answer) {
      answers.add(request, answer, now());
      batch.expect();
    },
    refused: (status, partition, address) => refusals.add(status, partition, address, now()),
    authorization: access => batch.add(authorizationEvent(publicUrl, owner, now(), access)),
    signIn: access => batch.add(signInEvent(publicUrl, now(), access)),
    async close() {
      refusals.flush();
      const lost = await batch.close();
      if (lost > 0) fault(new Error(`${lost} audit events could not be written and are lost`));
    },
  };
}

/** Accounts for nothing: for measurements of what it costs. */
export const noAudit: Audit = {
  failing: false,
  require: () => {},
  begin: async () => {},
  answered: () => {},
  refused: () => {},
  authorization: () => {},
  signIn: () => {},
  close: async () => {},
};

/** `code`: `no-store` or `timeout` where that is what the store says. */
const unavailable = (code: IssueCode): FhirError =>
  fhirError(503, code, 'The audit log cannot be written, so that nothing is answered. Ask again later.', undefined, {
    'Retry-After': '5',
  });
