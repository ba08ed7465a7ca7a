import { setImmediate } from 'node:timers/promises';
import { ownerType, ownersOfRecord } from '../../auth/owned-by.ts';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { isWithin, restriction } from '../../auth/restrict.ts';
import { fhirError } from '../../fhir/error.ts';
import type { Engine, JobAnswers } from '../../interaction/interaction.ts';
import { urlOf } from '../../interaction/jobs.ts';
import { printParameters } from '../../interaction/operation/parameters.ts';
import type { JobFile } from '../../jobs/job.ts';
import type { JobFileWriter } from '../../jobs/folder.ts';
import type { JobKind, JobWork } from '../../jobs/runner.ts';
import type { Partition } from '../../store/port/partitions.ts';
import { hasText } from '../../store/port/records.ts';
import type { MomentRecord } from '../../store/port/transfer.ts';
import { readRecord } from '../../views/rows.ts';
import { createRowWriter, rowTypes } from '../../views/formats.ts';
import type { RowWriter } from '../../views/formats.ts';
import type { View } from '../../views/view.ts';
import { covers } from '../export/job.ts';
import { patientsOfRecord } from '../export/selection.ts';
import { accessOf } from '../export/task.ts';
import { mostPatients, tablesKind } from './export.ts';
import { argumentsOf } from './export-task.ts';
import type { TablePart } from './format.ts';
import type { TablesTask } from './export-task.ts';
import { patientsOf } from './patients.ts';
import { rowsOfRecord } from './rows.ts';
import { subjectOf } from './subject.ts';

/** The file with the result of an export. */
const resultFile = 'result.json';

/** How long an export works until others have their turn, and how often it says how far it is, in milliseconds. */
const turn = 4;
const keepEvery = 1_000;

/** The work on jobs of `$sql-export`; `engine` is that of new requests. */
export const tableJobs = (engine: () => Engine, now: () => number): JobKind => ({
  name: tablesKind,
  async run(work) {
    const task = work.job.task as TablesTask; // export.ts has written it
    const partition = await engine().store.partition(task.partition);
    if (partition === undefined) throw fhirError(404, 'not-found', 'The partition of the export was removed.');
    const open: OpenTable[] = [];
    try {
      return await runTables(engine().in(partition), task, partition, open, work, now);
    } catch (error) {
      for (const { file } of open) await file.close();
      throw error;
    }
  },
});

const put = (file: JobFileWriter, part: TablePart): Promise<void> | undefined =>
  typeof part === 'string' ? file.add(part) : file.write(part);

interface OpenTable {
  readonly view: View;
  readonly writer: RowWriter;
  readonly file: JobFileWriter;
  readonly name: string;
  readonly patients: Set<string>;
}

/** Writes the tables from their beginning, and then the result: each record is read once for all views of its type. */
async function runTables(
  engine: Engine,
  task: TablesTask,
  partition: Partition,
  open: OpenTable[],
  { job, folder, signal, keep }: JobWork,
  now: () => number,
): Promise<{ readonly records: number }> {
  const { model, extract } = engine;
  const { base, moment, since } = task;
  const place = { model, base, partition: partition.id, zone: partition.settings.zone, now: moment };
  const access = accessOf(task.caller, place);
  const given = argumentsOf({ patient: task.patients, group: task.groups });
  const patients = await patientsOf(engine, { access, base }, partition, given, () => Promise.resolve(moment));
  const owner = model.types.get(ownerType(model) ?? '');
  for (const [at, table] of task.tables.entries()) {
    const { view } = subjectOf(engine, { base }, argumentsOf(table.subject));
    const name = `${at + 1}.${task.format}`;
    const file = await folder.open(job.id, name, 0);
    if (file === undefined) throw new Error('A file of an export cannot be opened');
    const writer = await createRowWriter(task.format, view, { header: task.header });
    open.push({ view, writer, file, name, patients: new Set() });
    await put(file, writer.begin());
  }
  const time = new Date(moment).toISOString();
  let [records, turned, kept] = [0, performance.now(), performance.now()];
  const files: JobFile[] = [];
  for (const [name, tables] of Map.groupBy(open, ({ view }) => view.resourceType)) {
    const type = model.types.get(name);
    if (type === undefined) throw fhirError(422, 'invalid', `Records of the type ${name} cannot be searched here.`);
    const rule = restriction(access, type, 's');
    const isOf = (record: MomentRecord & { readonly text: string }): boolean =>
      patients === undefined ||
      (owner !== undefined &&
        patientsOfRecord(type, record, owner, { base, extract, partition }).some(id => patients.has(id)));
    for await (const page of partition.at({ type: name, moment, since })) {
      for (const record of page.records) {
        if (performance.now() - turned > turn) {
          await setImmediate();
          turned = performance.now();
        }
        if (!hasText(record) || !isWithin(rule, type, record, extract, partition) || !isOf(record)) continue;
        records++;
        const read = readRecord(record.text);
        const owners = ownersOfRecord(type, record, { model, extract, base, partition });
        for (const { view, writer, file, patients: named } of tables) {
          await put(file, writer.rows(await rowsOfRecord(view, `${name}/${record.id}`, read, time)));
          for (const id of owners) if (named.size < mostPatients) named.add(id);
        }
      }
      if (signal.aborted) throw new Error('The export was ended');
      if (performance.now() - kept < keepEvery) continue;
      await keep({ mark: job.mark, progress: `${name}: ${records} records`, files: [] });
      kept = performance.now();
    }
  }
  for (const { writer, file, name, patients: named } of open) {
    await put(file, writer.end());
    files.push({ name, bytes: await file.finish(), about: { format: task.format, patients: Array.from(named) } });
  }
  const result = await folder.open(job.id, resultFile, 0);
  if (result === undefined) throw new Error('The result of an export cannot be opened');
  await result.add(resultOf(task, job, files, now()));
  files.push({ name: resultFile, bytes: await result.finish(), about: { format: 'fhir' } });
  await keep({ mark: { records }, progress: `${records} records`, files });
  return { records };
}

/** https://build.fhir.org/ig/HL7/sql-on-fhir/en/OperationDefinition-SQLExport.html */
function resultOf(
  { base, format, tracking, tables }: TablesTask,
  { id, started }: Pick<JobWork['job'], 'id' | 'started'>,
  files: readonly JobFile[],
  ended: number,
): string {
  const time = (at: number): string => new Date(at).toISOString();
  return printParameters([
    { name: 'exportId', valueString: id },
    ...(tracking === undefined ? [] : [{ name: 'clientTrackingId', valueString: tracking }]),
    { name: 'status', valueCode: 'completed' },
    ...tables.map(({ name }, at) => ({
      name: 'output',
      part: [
        { name: 'name', valueString: name },
        { name: 'location', valueUri: urlOf({ base }, id, files[at]?.name) },
      ],
    })),
    { name: '_format', valueCode: format },
    { name: 'exportStartTime', valueInstant: time(started) },
    { name: 'exportEndTime', valueInstant: time(ended) },
    { name: 'exportDuration', valueInteger: Math.round((ended - started) / 1000) },
  ]);
}

interface AboutTable {
  readonly format: keyof typeof rowTypes;
  readonly patients?: readonly string[];
}

/** How jobs of `$sql-export` are answered: their state leads to the result. */
export const tableAnswers: JobAnswers = {
  result: resultFile,
  requireAccess({ model, now }, { access, base, partition }, { task }) {
    const { caller, tables } = task as TablesTask; // export.ts has written it
    if (access === 'open' || caller === undefined) return;
    const first = accessOf(caller, {
      model,
      base,
      partition: partition.id,
      zone: partition.settings.zone,
      now: now(),
    });
    for (const { type: name } of tables) {
      const type = model.types.get(name);
      if (type === undefined || covers(restriction(access, type, 's'), restriction(first, type, 's'))) continue;
      const text = `The token does not cover what the export has of ${name}: use the scopes of the kick-off.`;
      throw scopeInsufficient(base, text, []);
    }
  },
  done: () => {
    throw new Error('The state of an export of tables leads to its result');
  },
  describe({ about }) {
    const { format, patients } = about as AboutTable; // runTables has written it
    return { contentType: rowTypes[format], ...(patients === undefined ? {} : { patients }) };
  },
};
