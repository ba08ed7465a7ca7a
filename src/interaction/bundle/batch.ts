import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import { Turns } from '../../limits/turns.ts';
import { answerOf } from '../answer-of.ts';
import { refuseControls } from '../controls.ts';
import type { Dispatch, Engine, FhirRequest, FhirResponse, Interaction, SentRequest } from '../interaction.ts';
import { auditedRequest, requestOf, withBody } from './entry-request.ts';
import type { BundleEntry } from './entry.ts';
import { placedInBundle } from './entry-places.ts';
import { printEntry, withinRoom } from './print-entry.ts';
import { LONGEST, inOrder, readEntries, refuseKey } from './read-entries.ts';

/**
 * Batch: each entry is a request of its own, with its own access decision, audit event and answer, in the order DELETE,
 * POST, PUT and PATCH, GET; the answers have the order of the entries. Throws FhirError 400 for a body that is not a
 * batch. https://hl7.org/fhir/R4/http.html#transaction
 */
export function createBatch(dispatch: Dispatch): Interaction {
  return async (engine, request) => {
    refuseControls(request);
    refuseKey(request, 'batch');
    const entries = await readEntries(engine, 'batch', request.body ?? Buffer.alloc(0));
    const end = engine.now() + LONGEST;
    const answers = new Map<BundleEntry, string>();
    const turns = new Turns();
    for (const entry of inOrder(entries)) {
      answers.set(entry, await answer(engine, request, entry, { dispatch, end }));
      await turns.next();
    }
    const all = entries.map(entry => answers.get(entry) ?? '').join(',');
    const list = entries.length === 0 ? '' : `,"entry":[${all}]`;
    return { status: 200, body: `{"resourceType":"Bundle","type":"batch-response"${list}}` };
  };
}

interface Course {
  readonly dispatch: Dispatch;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/** The text of the entry of an answer. */
async function answer(
  engine: Engine,
  batch: FhirRequest,
  entry: BundleEntry,
  { dispatch, end }: Course,
): Promise<string> {
  let request: SentRequest | undefined;
  let answered: FhirResponse;
  try {
    request = withBody(engine.model, requestOf(engine, batch, entry), entry);
    if (engine.now() > end) throw tooLate();
    request.room?.requireRoom();
    answered = withinRoom(await dispatch(engine, request), request);
  } catch (error) {
    const { failure, isFault } = answerOf(error, batch.requestId);
    if (isFault) engine.fault(error, batch.requestId);
    const issues = placedInBundle(entry, failure);
    answered = { status: failure.status, body: JSON.stringify(operationOutcome(issues)) };
  }
  const { status, records = [] } = answered;
  engine.audit.answered(auditedRequest(batch, entry, request), { status, records });
  return printEntry(answered, request);
}

const tooLate = (): FhirError =>
  fhirError(503, 'timeout', `The batch took longer than ${LONGEST / 1_000} seconds. Send this entry again.`);
