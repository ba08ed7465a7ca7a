import type { BegunWrite } from '../../audit/request.ts';
import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { VersionConflict } from '../../store/port/errors.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { Turns } from '../../limits/turns.ts';
import type { Engine, SentRequest, FhirResponse } from '../interaction.ts';
import { withBody } from './batch-entry.ts';
import { EntryFailures } from './entry-failures.ts';
import { Deciding, targetsOf } from './identities.ts';
import type { Identity } from './identities.ts';
import { inOrder, LONGEST } from './read-entries.ts';
import { withinRoom, withoutBody } from './print-entry.ts';
import { createEntryResolution } from './resolve-entry.ts';
import type { ResolveEntry } from './resolve-entry.ts';
import { placeholderFrom, StagedTokens, withTimes } from './staged/placeholder.ts';
import { repeated, StagedPartition } from './staged/staged-partition.ts';
import { writeStaged } from './staged/write-staged.ts';
import { contextOf } from '../write/client-context.ts';
import type { WriteContext } from '../write/context.ts';
import type { Course, TransactionEntry } from './transaction-entry.ts';

/** The answer of each entry. */
export type Answers = ReadonlyMap<TransactionEntry, FhirResponse>;

/**
 * Carries out the entries of a transaction once, and writes their changes. Throws FhirError, and the errors of
 * `Partition.write` if the store has changed meanwhile, so that the decisions about the entries may not hold any more.
 */
export async function attemptTransaction(
  engine: Engine,
  partition: Partition,
  entries: readonly TransactionEntry[],
  course: Course,
): Promise<Answers> {
  const { model, extract, now } = engine;
  const staged = new StagedPartition({ partition, model, extract, now, placeholder: placeholderFrom(now()) });
  const attempt = new Attempt(engine, staged, course);
  const ordered = inOrder(entries);
  const isOf = (methods: readonly string[]) => (entry: TransactionEntry) => methods.includes(entry.request.method);
  const deleted = new Set<string>();
  const writes = ordered.filter(isOf(['POST', 'PUT', 'PATCH']));
  await staged.withoutChanges(async () => {
    // Their criteria name records as they are stored: one that the transaction creates matches nothing.
    attempt.deciding = new Deciding(engine, { before: partition, staged, deleted: new Set() }, writes);
    for (const entry of ordered.filter(isOf(['DELETE']))) await attempt.delete(entry, deleted);
  });
  attempt.deciding = new Deciding(engine, { before: partition, staged, deleted }, writes);
  const identities = await attempt.deciding.all(writes, () => attempt.turn());
  await staged.readAhead([...identities.values()]);
  const targets = targetsOf(identities);
  attempt.resolve = createEntryResolution(engine, staged, { identities, targets }, course.transaction);
  for (const entry of writes) await attempt.write(entry, identities.get(entry));
  attempt.failures.throw();
  await attempt.check();
  for (const entry of ordered.filter(isOf(['GET', 'HEAD']))) await attempt.answer(entry);
  attempt.failures.throw();
  await attempt.begin();
  const times = await writeStaged(partition, staged, error => engine.fault(error, course.transaction.requestId));
  // Everything is written: what cannot be said of an entry any more is left out, and is no failure.
  const answerOf = (answer: FhirResponse): FhirResponse => {
    try {
      return withTimes(answer, times, attempt.tokens);
    } catch (error) {
      engine.fault(error, course.transaction.requestId);
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
  /** Absent until the records of the entries are decided. */
  resolve: ResolveEntry | undefined;
  /** Absent until the first entry is carried out. */
  deciding: Deciding | undefined;
  readonly #engine: Engine;
  readonly #entryEngine: Engine;
  /** What the writes of entries do differently. */
  readonly #writing: WriteContext;
  readonly #turns = new Turns();
  #current: TransactionEntry | undefined;
  #newId: string | undefined;
  readonly #partition: StagedPartition;
  readonly #course: Course;
  readonly #checks: { readonly entry: TransactionEntry; readonly check: () => Promise<void> }[] = [];
  readonly #begun: { readonly request: Parameters<Engine['audit']['begin']>[0]; readonly write: BegunWrite }[] = [];

  constructor(engine: Engine, partition: StagedPartition, course: Course) {
    this.#engine = engine;
    this.tokens = new StagedTokens(engine.cursors);
    // The transaction has paid for its entries.
    this.#entryEngine = { ...engine, cursors: this.tokens.cursors, chargeClient: undefined };
    this.#writing = this.#contextOf(engine);
    this.#partition = partition;
    this.#course = course;
  }

  /** Gives other requests their turn. Throws FhirError 503 if the time of the transaction is over. */
  async turn(): Promise<void> {
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
      const { parameters, headers } = (await this.deciding?.linked(entry)) ?? sent;
      const request = { ...sent, parameters, headers, partition: this.#partition, writing: this.#writing };
      const answer = await dispatch(this.#entryEngine, request);
      const { records } = answer;
      const audited = records === undefined ? answer : { ...answer, records: records.map(withoutText) };
      this.answers.set(entry, withinRoom(audited, sent));
    } catch (error) {
      this.failures.add(entry, error);
    }
  }

  /** Carries out a DELETE entry, and adds the record that it names, which may not exist, to those of the others. */
  async delete(entry: TransactionEntry, deleted: Set<string>): Promise<void> {
    const { resourceType, id } = entry.request;
    const key = `${resourceType}/${id}`;
    if (id === undefined || !deleted.has(key)) await this.answer(entry);
    else this.failures.add(entry, repeated(key));
    if (id !== undefined) deleted.add(key);
  }

  /** Carries out an entry that creates, updates or patches, with its links resolved to the records of the others. */
  async write(entry: TransactionEntry, identity: Identity | undefined): Promise<void> {
    if (identity?.isDeleted === true) {
      this.failures.add(entry, repeated(`${identity.type}/${identity.id}`));
      return;
    }
    try {
      const sent = withBody(this.#engine.model, entry.request, entry, await this.resolve?.resource(entry));
      await this.answer(entry, sent, identity?.newId);
    } catch (error) {
      this.failures.add(entry, error);
    }
    const [record] = this.answers.get(entry)?.records ?? [];
    if (record === undefined || identity?.isConditional !== true || record.id === identity.id) return;
    // Links lead to the record that the criteria found before.
    if (!this.#partition.has(record.type, record.id)) throw new VersionConflict(record.type, record.id);
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

  /** The entries are answered one after another: `#current` is the one that is. */
  #contextOf(engine: Engine): WriteContext {
    return {
      ...contextOf(engine, {}),
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
        return entry === undefined || this.resolve === undefined ? text : this.resolve.patched(entry, text, before);
      },
    };
  }
}

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
