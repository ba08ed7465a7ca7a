import type { BegunWrite } from '../../audit/request.ts';
import { FhirError, fhirError } from '../../fhir/error.ts';
import { Turns } from '../../limits/turns.ts';
import type { QueryPair } from '../../search/request.ts';
import { VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { ifNoneExist, matchOf, readCriteria, urlCriteria } from '../criteria.ts';
import type { CriteriaMatch, CriteriaSource } from '../criteria.ts';
import { declaredType } from '../declared.ts';
import type { Dispatch, Engine, FhirRequest, FhirResponse, SentRequest } from '../interaction.ts';
import { contextOf } from '../write/client-context.ts';
import { commit } from '../write/commit.ts';
import type { WriteContext } from '../write/context.ts';
import { withBody } from './entry-request.ts';
import { EntryFailures } from './entry-places.ts';
import type { Identity, RequestEntry } from './identities.ts';
import { LONGEST, inOrder, methodOf } from './read-entries.ts';
import { withinRoom, withoutBody } from './print-entry.ts';
import type { Resolution } from './resolve.ts';
import { StagedEntries } from './stage-entries.ts';
import { StagedTokens, withTimes } from './staged/placeholder.ts';
import { timesOf, writeOfStaged } from './staged/write-staged.ts';
import type { Times } from './staged/write-staged.ts';

/** An entry of a transaction with its request, whose links are not resolved yet. */
export type TransactionEntry = RequestEntry<SentRequest>;

/** What the attempts of a transaction share. */
export interface TransactionCourse {
  readonly dispatch: Dispatch;
  readonly transaction: FhirRequest;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/** The answer of each entry. */
export type EntryAnswers = ReadonlyMap<TransactionEntry, FhirResponse>;

/**
 * Carries out the entries of a transaction once, and writes their changes. Throws FhirError, and the errors of
 * `Partition.write` if the store has changed meanwhile, so that the decisions about the entries may not hold any more.
 */
export async function attemptTransaction(
  engine: Engine,
  partition: Partition,
  entries: readonly TransactionEntry[],
  course: TransactionCourse,
): Promise<EntryAnswers> {
  const attempt = new Attempt(engine, partition, course);
  await attempt.staged.carryOut(entries);
  attempt.failures.throw();
  await attempt.check();
  for (const entry of inOrder(entries)) if (['GET', 'HEAD'].includes(methodOf(entry))) await attempt.answer(entry);
  attempt.failures.throw();
  await attempt.begin();
  const fault = (error: unknown): void => engine.fault(error, course.transaction.requestId);
  const times = await attempt.write(fault);
  // Everything is written: what cannot be said of an entry any more is left out, and is no failure.
  const answerOf = (answer: FhirResponse): FhirResponse => {
    try {
      return withTimes(answer, times, attempt.tokens);
    } catch (error) {
      fault(error);
      return withoutBody(answer);
    }
  };
  const answers = new Map<TransactionEntry, FhirResponse>();
  const turns = new Turns();
  for (const [entry, answer] of attempt.answers) {
    answers.set(entry, answerOf(answer));
    await turns.next();
  }
  return answers;
}

/** One attempt at a transaction. */
class Attempt {
  readonly answers = new Map<TransactionEntry, FhirResponse>();
  readonly failures = new EntryFailures();
  readonly tokens: StagedTokens;
  readonly staged: StagedEntries<TransactionEntry>;
  readonly #engine: Engine;
  readonly #entryEngine: Engine;
  /** What the writes of entries do differently. */
  readonly #writing: WriteContext;
  readonly #turns = new Turns();
  #current: TransactionEntry | undefined;
  #newId: string | undefined;
  readonly #partition: Partition;
  readonly #course: TransactionCourse;
  readonly #checks: { readonly entry: TransactionEntry; readonly check: () => Promise<void> }[] = [];
  readonly #begun: { readonly request: Parameters<Engine['audit']['begin']>[0]; readonly write: BegunWrite }[] = [];

  constructor(engine: Engine, partition: Partition, course: TransactionCourse) {
    const { model, extract, now, newId } = engine;
    const { transaction } = course;
    this.#engine = engine;
    this.tokens = new StagedTokens(engine.cursors);
    // The transaction has paid for its entries.
    this.#entryEngine = { ...engine, cursors: this.tokens.cursors, chargeClient: undefined };
    this.#writing = this.#contextOf(engine);
    this.#partition = partition;
    this.#course = course;
    this.staged = new StagedEntries({
      model,
      extract,
      now,
      partition,
      storesAttachments: true,
      base: transaction.base,
      find: (request, place) => findByRequest(engine, place, request),
      findReferenced: (place, type, pairs) => findByReference(engine, place, transaction, type, pairs),
      newId: () => newId(),
      turn: () => this.#turn(),
      carryOut: (entry, identity) => (methodOf(entry) === 'DELETE' ? this.answer(entry) : this.#write(entry, identity)),
      fail: (entry, error) => this.failures.add(entry, error),
    });
  }

  /** Gives other requests their turn. Throws FhirError 503 if the time of the transaction is over. */
  async #turn(): Promise<void> {
    await this.#turns.next();
    this.#requireTime();
  }

  /** Answers an entry by its interaction; `newId` is the id of a record that it creates. */
  async answer(entry: TransactionEntry, sent: SentRequest = entry.request, newId?: string): Promise<void> {
    const { dispatch } = this.#course;
    await this.#turns.next();
    this.#current = entry;
    this.#newId = newId;
    try {
      this.#requireTime();
      const { parameters, headers } = await this.staged.linked(entry);
      const { partition } = this.staged;
      const request = { ...sent, parameters, headers, partition, writing: this.#writing };
      const answer = await dispatch(this.#entryEngine, request);
      const { records } = answer;
      const audited = records === undefined ? answer : { ...answer, records: records.map(withoutText) };
      this.answers.set(entry, withinRoom(audited, sent));
    } catch (error) {
      this.failures.add(entry, error);
    }
  }

  /** Carries out an entry that creates, updates or patches, with its links resolved to the records of the others. */
  async #write(entry: TransactionEntry, identity: Identity | undefined): Promise<void> {
    try {
      const resolved = requireResolved(await this.staged.resource(entry));
      await this.answer(entry, withBody(this.#engine.model, entry.request, entry, resolved), identity?.newId);
    } catch (error) {
      this.failures.add(entry, error);
    }
    const [record] = this.answers.get(entry)?.records ?? [];
    if (record === undefined || identity?.match === undefined || record.id === identity.id) return;
    // Links lead to the record that the criteria found before.
    if (!this.staged.partition.has(record.type, record.id)) throw new VersionConflict(record.type, record.id);
    this.failures.add(entry, matchesOther(`${record.type}/${record.id}`, entry.index));
  }

  /** The checks that need all changes. */
  async check(): Promise<void> {
    for (const { entry, check } of this.#checks) {
      try {
        this.#requireTime();
        await check();
      } catch (error) {
        this.failures.add(entry, error);
      }
    }
    this.failures.throw();
  }

  #requireTime(): void {
    if (this.#engine.now() > this.#course.end) throw tooLate();
  }

  /** Audits the writes that are about to happen: durable when it resolves. */
  async begin(): Promise<void> {
    const begun: Promise<void>[] = [];
    for (const { request, write } of this.#begun) {
      begun.push(this.#engine.audit.begin(request, write));
      await this.#turns.next();
    }
    await Promise.all(begun);
  }

  /** Writes all changes at once, and returns the times of the new versions. Throws the errors of `Partition.write`. */
  async write(fault: (error: unknown) => void): Promise<Times> {
    const { changes, requires, records } = writeOfStaged(this.staged.partition);
    if (changes.length === 0) return new Map();
    const { committed } = contextOf(this.#engine, this.#course.transaction);
    return timesOf(records, await commit(this.#partition, changes, { requires }, committed), fault);
  }

  /** The entries are answered one after another: `#current` is the one that is. */
  #contextOf(engine: Engine): WriteContext {
    return {
      ...contextOf(engine, {}),
      committed: undefined,
      newId: () => this.#newId ?? engine.newId(),
      begin: (request, write) => {
        this.#begun.push({ request: { ...request, ...withoutResource }, write: withoutText(write) });
        return Promise.resolve();
      },
      atEnd: check => {
        const entry = this.#current;
        if (entry !== undefined) this.#checks.push({ entry, check });
      },
      linked: async (text, before) => {
        const entry = this.#current;
        return (entry && requireResolved(await this.staged.patched(entry, text, before))) ?? text;
      },
    };
  }
}

/** The text with resolved links. Throws FhirError 422 if one leads nowhere. */
function requireResolved(resolution: Resolution | undefined): string | undefined {
  if (resolution === undefined) return undefined;
  if (resolution.issues.length > 0) throw new FhirError(422, resolution.issues);
  return resolution.text;
}

/** What the criteria of an entry find among the records that the caller may search, as its interaction searches. */
function findByRequest(engine: Engine, partition: Partition, request: SentRequest): Promise<CriteriaMatch> {
  const type = declaredType(engine.model, request);
  return matchOf(type, { partition, extract: engine.extract, base: request.base }, async () => {
    if (request.interaction !== 'create')
      return readCriteria(engine, type, request, partition, { pairs: request.parameters, source: urlCriteria });
    const precondition = await ifNoneExist(engine, type, request, partition);
    if (precondition.is !== 'no-match') throw new Error('Criteria of a create are in its header');
    return precondition.query;
  });
}

/** What a conditional reference finds among the records that the caller may search. */
async function findByReference(
  engine: Engine,
  partition: Partition,
  caller: FhirRequest,
  typeName: string,
  pairs: readonly QueryPair[],
): Promise<CriteriaMatch> {
  const type = engine.model.types.get(typeName);
  if (type === undefined) return { kind: 'undeclared' };
  return matchOf(type, { partition, extract: engine.extract, base: caller.base }, () =>
    readCriteria(engine, type, caller, partition, { pairs, source }),
  );
}

const source: CriteriaSource = { name: 'the conditional reference', expression: undefined };

/** What the audit of a request does not need, and what may be large. */
const withoutResource = { body: undefined, parsed: undefined, writing: undefined };

/** A record for the audit, which needs the text only to find owners that are not known. */
const withoutText = <T extends { readonly text: string | undefined; readonly owners?: readonly string[] | undefined }>(
  record: T,
): T => (record.owners === undefined || record.text === undefined ? record : { ...record, text: '' });

const tooLate = (): FhirError =>
  fhirError(
    503,
    'timeout',
    `The transaction took longer than ${LONGEST / 1_000} seconds. Nothing was written; send fewer entries at once.`,
  );

/** https://hl7.org/fhir/R4/http.html#trules: identities must not overlap. */
const matchesOther = (name: string, index: number): FhirError =>
  fhirError(
    400,
    'duplicate',
    `The criteria match \`${name}\`, which another entry of the transaction creates or changes.`,
    `Bundle.entry[${index}].request`,
  );
