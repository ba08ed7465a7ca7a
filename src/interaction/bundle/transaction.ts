import { fhirError } from '../../fhir/error.ts';
import { AttachmentMissing, RequirementFailed, SeveralMatch, VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { createSlots } from '../../limits/slots.ts';
import type { Slots } from '../../limits/slots.ts';
import { Turns } from '../../limits/turns.ts';
import { answerOf } from '../answer-of.ts';
import { refuseControls } from '../controls.ts';
import type { Dispatch, Engine, FhirRequest, FhirResponse, Interaction, SentRequest } from '../interaction.ts';
import { attemptTransaction } from './attempt.ts';
import type { EntryAnswers, TransactionCourse, TransactionEntry } from './attempt.ts';
import { auditedRequest, requestOf } from './entry-request.ts';
import type { BundleEntry } from './entry.ts';
import { EntryFailures } from './entry-places.ts';
import { printEntry, withoutBody } from './print-entry.ts';
import { LONGEST, readEntries, refuseKey } from './read-entries.ts';

/** Times that a transaction is carried out, each after another write of one of its records. */
const MOST_ATTEMPTS = 50;

/** Attempts after which a transaction waits for its turn among those that lost as many races. */
const FREE_ATTEMPTS = 3;

/** The turns of the transactions of a partition, by its id. */
const ofPartitions = new WeakMap<Engine['store'], Map<string, Slots>>();

/**
 * Transaction: the entries are carried out in the order DELETE, POST, PUT and PATCH, GET, each by its own interaction
 * with its own access decision and audit event, on a partition that has their changes; then all changes are written at
 * once. Throws FhirError with the errors of all entries, whose expressions name the entry: nothing is written then.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export function createTransaction(dispatch: Dispatch): Interaction {
  return async (engine, request, partition) => {
    refuseControls(request);
    refuseKey(request, 'transaction');
    const read = await readEntries(engine, 'transaction', request.body ?? Buffer.alloc(0));
    const end = engine.now() + LONGEST;
    const { requests, failures } = await requestsOf(engine, request, read);
    const turns = new Turns();
    const audit = (entry: BundleEntry, { status, records = [] }: FhirResponse): void =>
      engine.audit.answered(auditedRequest(request, entry, requests.get(entry.index)), { status, records });
    let answered: readonly Answered[];
    try {
      failures.throw();
      const entries = read.map(entry => withRequest(entry, requests));
      for (const entry of entries) {
        engine.chargeClient?.(entry.request); // once, however often it is carried out
        await turns.next();
      }
      const answers = await untilWritten(engine, partition, entries, { dispatch, transaction: request, end });
      answered = entries.map(entry => ({ entry, answer: answers.get(entry) ?? { status: 200 } }));
    } catch (error) {
      const { status } = answerOf(error, request.requestId).failure;
      for (const entry of read) {
        audit(entry, { status });
        await turns.next();
      }
      throw error;
    }
    // Everything is written: from here on the answer is 200, with what can be said.
    for (const { entry, answer } of answered) {
      audit(entry, answer);
      await turns.next();
    }
    try {
      return { status: 200, body: await print(answered) };
    } catch (error) {
      engine.fault(error, request.requestId);
      return { status: 200, body: await print(answered.map(one => ({ ...one, answer: withoutBody(one.answer) }))) };
    }
  };
}

/** An entry that is carried out. */
interface Answered {
  readonly entry: TransactionEntry;
  readonly answer: FhirResponse;
}

async function print(answered: readonly Answered[]): Promise<string> {
  const turns = new Turns();
  let list = '';
  for (const { entry, answer } of answered) {
    list += `${list === '' ? '' : ','}${printEntry(answer, entry.request)}`;
    await turns.next();
  }
  return `{"resourceType":"Bundle","type":"transaction-response"${list === '' ? '' : `,"entry":[${list}]`}}`;
}

/** The requests of entries by their index. */
type Requests = ReadonlyMap<number, SentRequest>;

/** The requests of the entries, and the failures of those that have no valid one. */
async function requestsOf(
  engine: Engine,
  transaction: FhirRequest,
  entries: readonly BundleEntry[],
): Promise<{ readonly requests: Requests; readonly failures: EntryFailures }> {
  const failures = new EntryFailures();
  const requests = new Map<number, SentRequest>();
  const turns = new Turns();
  for (const entry of entries) {
    failures.during(entry, () => requests.set(entry.index, requestOf(engine, transaction, entry)));
    await turns.next();
  }
  return { requests, failures };
}

function withRequest(entry: BundleEntry, requests: Requests): TransactionEntry {
  const request = requests.get(entry.index);
  if (request === undefined) throw new Error(`Entry ${entry.index} has neither a request nor a failure`);
  return { ...entry, request };
}

async function untilWritten(
  engine: Engine,
  partition: Partition,
  entries: readonly TransactionEntry[],
  course: TransactionCourse,
): Promise<EntryAnswers> {
  let leave: (() => void) | undefined;
  try {
    const { room } = course.transaction;
    const taken = room?.taken ?? 0;
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      room?.giveBack(taken);
      // Transactions that write the same records take turns: all at once, most would lose each race.
      if (attempt > FREE_ATTEMPTS) leave ??= await turnsOf(engine, partition).take();
      if (attempt > 1 && engine.now() > course.end) break;
      try {
        return await attemptTransaction(engine, partition, entries, course);
      } catch (error) {
        if (!isRace(error)) throw error;
      }
    }
  } finally {
    leave?.();
  }
  throw fhirError(
    409,
    'conflict',
    'Other requests change the records of this transaction all the time. Nothing was written; retry later.',
    undefined,
    { 'Retry-After': '1' },
  );
}

function turnsOf({ store }: Engine, { id }: Partition): Slots {
  const ofStore = ofPartitions.get(store) ?? new Map<string, Slots>();
  ofPartitions.set(store, ofStore);
  const found = ofStore.get(id) ?? createSlots(1);
  ofStore.set(id, found);
  return found;
}

/** Another write came between what the entries read and the write of the transaction. */
const isRace = (error: unknown): boolean =>
  [VersionConflict, SeveralMatch, RequirementFailed, AttachmentMissing].some(race => error instanceof race);
