import { requireScope } from '../../auth/may.ts';
import { fhirError } from '../../fhir/error.ts';
import { parseInstantRange } from '../../fhir/instant-range.ts';
import { asString, isObject, objectsOf } from '../../fhir/json-object.ts';
import type { Engine, FhirRequest, Interaction } from '../../interaction/interaction.ts';
import { startJob } from '../../interaction/jobs.ts';
import { readArguments } from '../../interaction/operation/arguments.ts';
import { argumentsOf, valueIn } from './export-task.ts';
import type { TableTask, TablesTask } from './export-task.ts';
import { formatNamed } from './format.ts';
import { patientsOf } from './patients.ts';
import { requireSearched, subjectOf } from './subject.ts';

/** The kind of the jobs of exports of tables. */
export const tablesKind = 'tables';

/**
 * `$sql-export`: 202 with the URL of the job. All that can be wrong is refused here; the tables are computed at one
 * moment of the store. https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLExport.html
 */
export const sqlExport: Interaction = async (engine, request, partition) => {
  const { access, base, headers } = request;
  const handling = request.handling === 'lenient' ? 'usual' : request.handling;
  if (headers.prefer?.includes('respond-async') !== true)
    throw fhirError(400, 'required', 'An export is asynchronous: send `Prefer: respond-async`.', 'http.Prefer');
  const given = readArguments(engine, { ...request, handling });
  const format = formatNamed(given.text('_format') ?? 'ndjson');
  if (format === 'fhir')
    throw fhirError(
      400,
      'not-supported',
      'Exports have no format `fhir`: use `ndjson`, `csv`, `json` or `parquet`.',
      '_format',
    );
  const tables = tablesOf(engine, request, [...given.all('subject'), ...given.all('view')]);
  const moment = await partition.moment();
  const patients = await patientsOf(engine, request, partition, given, () => Promise.resolve(moment));
  const since = given.text('_since');
  const task: TablesTask = {
    base,
    partition: partition.id,
    moment,
    format,
    header: given.all('header')[0] !== false,
    tracking: given.text('clientTrackingId'),
    tables,
    patients: given.all('patient'),
    groups: given.all('group'),
    ...(since === undefined ? {} : { since: Math.floor(parseInstantRange(since, partition.settings.zone)?.low ?? 0) }),
    ...(access === 'open'
      ? {}
      : {
          caller: {
            issuer: access.issuer,
            client: access.client,
            scopes: access.scopes,
            subject: access.subject,
            patient: access.patient,
            fhirUser: access.fhirUser?.reference,
          },
        }),
  };
  const answer = await startJob(engine, request, tablesKind, task);
  return patients === undefined ? answer : { ...answer, patients: Array.from(patients).slice(0, mostPatients) };
};

/** Patients that the audit names; one more says that there are others. */
export const mostPatients = 1_001;

/** The tables of an export. Throws FhirError for a view that a run would refuse, and 400 for two of one name. */
function tablesOf(engine: Engine, request: FhirRequest, subjects: readonly unknown[]): readonly TableTask[] {
  const names = new Set<string>();
  return subjects.map((one, at) => {
    const parts = objectsOf(isObject(one) ? one['part'] : undefined);
    const subject = Object.fromEntries(
      Map.groupBy(parts, part => asString(part['name']) ?? '')
        .entries()
        .map(([name, of]) => [name, of.map(valueIn)] as const),
    );
    const unknown = Object.keys(subject).find(name => !known.has(name));
    if (unknown !== undefined)
      throw fhirError(400, 'not-supported', `A subject has no part \`${unknown.slice(0, 50)}\`.`, 'subject');
    const { view } = subjectOf(engine, request, argumentsOf(subject));
    const type = requireSearched(engine, view);
    requireScope(request.access, engine.model, { interaction: 'search-type', resourceType: type.name }, request.base);
    const name = asString(subject['name']?.[0]) ?? view.name ?? `table${at + 1}`;
    if (names.has(name))
      throw fhirError(
        400,
        'invalid',
        `Two subjects have the name \`${name.slice(0, 50)}\`: name them apart.`,
        'subject',
      );
    names.add(name);
    return { name, type: type.name, subject };
  });
}

const known: ReadonlySet<string> = new Set([
  'name',
  'subjectCanonical',
  'subjectReference',
  'subjectResource',
  'viewReference',
  'viewResource',
]);
