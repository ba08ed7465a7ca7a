import { requireScope } from '../../auth/may.ts';
import { restrict } from '../../auth/restrict.ts';
import { fhirError } from '../../fhir/error.ts';
import { parseInstantRange } from '../../fhir/instant-range.ts';
import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../../interaction/interaction.ts';
import { readArguments } from '../../interaction/operation/arguments.ts';
import type { Arguments } from '../../interaction/operation/arguments.ts';
import { refusePending } from '../../interaction/pending.ts';
import { refuseCostly, withDeadline } from '../../interaction/search/deadline.ts';
import { findPage } from '../../interaction/search/find.ts';
import { anyOrder } from '../../interaction/search/joined.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Position, Query } from '../../search/ast.ts';
import { simplify } from '../../search/simplify.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { StoredVersion } from '../../store/port/records.ts';
import { readRecord } from '../../views/rows.ts';
import { createRowWriter, rowTypes } from '../../views/formats.ts';
import type { View } from '../../views/view.ts';
import { formOf, inBinary } from './format.ts';
import type { TablePart } from './format.ts';
import { ofPatient, patientsOf } from './patients.ts';
import { RunClock, printTable } from './rows.ts';
import type { NamedRecord } from './rows.ts';
import { requireSearched, subjectOf } from './subject.ts';

/**
 * `$sql-run`: the rows of a view of the records that the caller may search, or of those in the request. An answer that
 * is short is complete before it is sent; a longer one is made while it is sent.
 * https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLRun.html
 */
export const sqlRun: Interaction = async (engine, request, partition) => {
  // A parameter that is ignored, such as `source`, would give rows of other records.
  const handling = request.handling === 'lenient' ? 'usual' : request.handling;
  const given = readArguments(engine, { ...request, handling });
  const { format, isBinary } = formOf(given.text('_format'), request.headers.accept);
  const limit = limitOf(given);
  const { view } = subjectOf(engine, request, given);
  const clock = new RunClock(engine.searchDeadline);
  const shown = new Shown();
  const sent = given.all('resource');
  const pages =
    sent.length > 0
      ? recordsIn(given, view, sent)
      : await storedPages(engine, request, partition, { view, given, clock, shown });
  const now = new Date(engine.now()).toISOString();
  const writer = await createRowWriter(format, view, { header: given.all('header')[0] !== false });
  const table = printTable(view, pages, writer, { now, limit, clock });
  const contentType = rowTypes[format];
  const [media = ''] = contentType.split(';');
  const answer = await answerOf(isBinary ? inBinary(media, table) : table, isBinary ? rowTypes.fhir : contentType);
  return { ...answer, records: shown.records };
};

function limitOf(given: Arguments): number {
  const limit = given.number('_limit') ?? Infinity;
  if (limit >= 0) return limit;
  throw fhirError(400, 'invalid', `\`_limit\` is a number of rows from 0, not \`${limit}\`.`, '_limit');
}

/** Records in the request, whose Bundles are unwrapped. Throws FhirError 400 beside parameters that select others. */
function recordsIn(given: Arguments, view: View, sent: readonly unknown[]): AsyncIterable<Iterable<NamedRecord>> {
  for (const name of ['patient', 'group', '_since'])
    if (given.all(name).length > 0) {
      const text = `\`${name}\` selects records of the store, but the request has its own: omit it or \`resource\`.`;
      throw fhirError(400, 'invalid', text, name);
    }
  const { decimals } = given;
  const unwrapped = sent
    .filter(isObject)
    .flatMap(one =>
      one['resourceType'] === 'Bundle'
        ? objectsOf(one['entry']).flatMap(({ resource }) => (isObject(resource) ? [resource] : []))
        : [one],
    )
    .filter(({ resourceType }) => resourceType === view.resourceType);
  const records = unwrapped.map((value: JsonObject, at) => ({
    name: `${view.resourceType}/${asString(value['id']) ?? `(${at + 1})`}`,
    record: { value, decimals },
  }));
  return (async function* () {
    yield records;
  })();
}

interface StoredRun {
  readonly view: View;
  readonly given: Arguments;
  readonly clock: RunClock;
  readonly shown: Shown;
}

/** The records of the store that the caller may search, in pages. Throws FhirError 403 without a scope. */
async function storedPages(
  engine: Engine,
  request: FhirRequest,
  partition: Partition,
  { view, given, clock, shown }: StoredRun,
): Promise<AsyncIterable<Iterable<NamedRecord>>> {
  const { model, extract, store } = engine;
  const { access, base } = request;
  const type = requireSearched(engine, view);
  requireScope(access, model, { interaction: 'search-type', resourceType: type.name }, base);
  const patients = await patientsOf(engine, request, partition, given, () => partition.moment());
  const since = given.text('_since');
  const limits: Query[] = [];
  if (since !== undefined) limits.push(changedAfter(since, partition.settings.zone));
  const queries = queriesOf(engine, type, base, patients).map(query =>
    restrict(access, type, 's', simplify({ kind: 'and', of: [query, ...limits] })),
  );
  for (const query of queries)
    await refusePending(store.indexes, partition.id, { type, query, sort: anyOrder, count: 1 }, () => false);
  return (async function* () {
    // A record may belong to patients of several queries.
    const seen = queries.length > 1 ? new Set<string>() : undefined;
    for (const query of queries) {
      let after: Position | undefined;
      do {
        const limited = { partition: withDeadline(partition, clock.left()), extract, base };
        const page = await refuseCostly(findPage({ type, query, sort: anyOrder, limit: pageSize, after }, limited));
        const own = page.versions.filter(({ id }) => seen?.has(id) !== true);
        if (seen !== undefined) for (const { id } of own) seen.add(id);
        yield namedRecords(own, shown);
        after = page.next;
      } while (after !== undefined);
    }
  })();
}

/** Records of a page, and patients of one query. */
const pageSize = 500;
const patientsOfQuery = 100;

function queriesOf(
  engine: Engine,
  type: ResourceType,
  base: string,
  patients: ReadonlySet<string> | undefined,
): readonly Query[] {
  if (patients === undefined) return [{ kind: 'all' }];
  const ids = Array.from(patients).sort();
  const queries: Query[] = [];
  for (let at = 0; at < ids.length; at += patientsOfQuery) {
    const of = ids.slice(at, at + patientsOfQuery).flatMap(id => ofPatient(engine, type, base, id) ?? []);
    if (of.length > 0) queries.push(simplify({ kind: 'or', of }));
  }
  return queries;
}

/** Later than an instant: times of the store are whole milliseconds. */
function changedAfter(since: string, zone: string): Query {
  const value = Math.floor(parseInstantRange(since, zone)?.low ?? 0);
  return { kind: 'lastUpdated', bounds: [{ end: 'low', is: '>', value }] };
}

function* namedRecords(versions: readonly StoredVersion[], shown: Shown): Iterable<NamedRecord> {
  for (const version of versions) {
    if (!hasText(version)) continue;
    shown.add(version);
    yield { name: `${version.type}/${version.id}`, record: readRecord(version.text) };
  }
}

/** The records that the audit of a run names: the first ones, of limited length. */
class Shown {
  readonly records: StoredVersion[] = [];
  #characters = 0;

  add(version: StoredVersion): void {
    if (this.records.length > mostShown || this.#characters > mostCharacters) return;
    this.#characters += version.text?.length ?? 0;
    this.records.push(version);
  }
}

const mostShown = 1_000;
const mostCharacters = 4 * 1024 * 1024;

/** Characters of an answer that is complete before it is sent. */
const shortAnswer = 256 * 1024;

/** The answer of parts: in one piece if it is short, else in parts, of which the first are made already. */
async function answerOf(parts: AsyncIterable<TablePart>, contentType: string): Promise<FhirResponse> {
  const reading = parts[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  for (let length = 0; length < shortAnswer; length += first.at(-1)?.length ?? 0) {
    const { done, value } = await reading.next();
    if (done === true) return { status: 200, bytes: Buffer.concat(first), headers: { 'Content-Type': contentType } };
    first.push(Buffer.from(value));
  }
  return { status: 200, stream: { contentType, parts: rest(Buffer.concat(first), reading) } };
}

async function* rest(first: Buffer, reading: AsyncIterator<TablePart>): AsyncIterable<TablePart> {
  yield first;
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return;
    if (value.length > 0) yield value;
  }
}
