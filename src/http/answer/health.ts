import { FhirError, fhirError } from '../../fhir/error.ts';
import type { IssueCode } from '../../fhir/outcome.ts';
import { StoreUnavailable } from '../../store/port/errors.ts';
import type { Engine } from '../../interaction/interaction.ts';
import type { Store } from '../../store/port/store.ts';
import type { Handler, Respond } from '../context.ts';

const longestCheck = 2_000;

/** `/healthz`: 200 while the process is alive. */
export function healthz(respond: Respond): Handler {
  return async context => {
    await respond(context, ok);
  };
}

/**
 * `/readyz`: 200 if requests can be served: the definitions are loaded (the port is closed before), the store answers
 * within two seconds, no request is rejected because audit events cannot be stored, and the server is not shutting
 * down; 503 otherwise, with the reason. A working store without some indexes has problems; one that fails for some
 * requests, or cannot write, is `degraded`: reads continue.
 */
export function readyz(respond: Respond, { store, audit }: Engine, closing: () => boolean): Handler {
  return async context => {
    if (closing()) throw notReady('transient', 'The server is shutting down.');
    let found = await within(check(store));
    if (found instanceof FhirError) throw found;
    const { failing } = audit;
    if (failing?.rejects === true) throw notReady(failing.reason, unwritable);
    if (failing !== undefined) found = { status: 'degraded', problems: [...found.problems, unwritable] };
    await respond(context, found.problems.length === 0 ? ok : { ...ok, body: JSON.stringify(found) });
  };
}

const unwritable = 'The audit log cannot be written.';

const ok = { status: 200, body: '{"status":"ok"}', headers: { 'Content-Type': 'application/json; charset=utf-8' } };

const notReady = (code: IssueCode, text: string): FhirError =>
  fhirError(503, code, text, undefined, { 'Retry-After': '5' });

interface Readiness {
  readonly status: 'ok' | 'degraded';
  readonly problems: readonly string[];
}

/** The problems of a working store, or the reason why it cannot be used. */
async function check(store: Store): Promise<Readiness | FhirError> {
  try {
    const { problems: failing } = await store.check();
    const lacking = (await store.indexes.database())
      .filter(({ state }) => state !== 'unused')
      .map(({ collection, name, state }) => `The index ${name} of ${collection} is ${state}.`);
    return { status: failing.length === 0 ? 'ok' : 'degraded', problems: [...failing, ...lacking] };
  } catch (error) {
    return explain(error);
  }
}

async function within<T>(work: Promise<T>): Promise<T | FhirError> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FhirError>(resolve => {
    timer = setTimeout(() => resolve(inTime), longestCheck);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const inTime = notReady('timeout', 'The record store does not answer in time.');

function explain(error: unknown): FhirError {
  if (!(error instanceof StoreUnavailable)) return notReady('transient', 'The record store does not answer.');
  return error.reason === 'timeout' ? inTime : notReady('no-store', 'The record store cannot be reached.');
}
