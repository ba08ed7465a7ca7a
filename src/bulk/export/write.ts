import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../interaction/interaction.ts';
import { JobFolder } from '../../jobs/folder.ts';
import { ifThere, makeFolder, ownerOnly, syncFolder } from '../../store/files/durable.ts';
import type { Partition } from '../../store/port/partitions.ts';
import type { AboutFile } from './files.ts';
import { runExport } from './run.ts';
import type { ExportResult } from './run.ts';
import type { ExportTask } from './task.ts';

/** What a command exports: all records, or those of the members of a Group. */
export interface WrittenExport extends Pick<ExportTask, 'since' | 'group' | 'base'> {
  /** Undefined: all types. */
  readonly types: readonly string[] | undefined;
}

/**
 * Exports a partition into a folder that is new or empty, with a manifest, which comes last; all for the owner of the
 * process. `report` receives the number of records. Throws Error if the folder has files.
 */
export async function writeExport(
  engine: Pick<Engine, 'model' | 'extract'>,
  partition: Partition,
  folder: string,
  { types, since, group, base }: WrittenExport,
  signal: AbortSignal,
  report: (records: number) => void,
): Promise<ExportResult> {
  const present = await ifThere(() => readdir(folder));
  if (present !== undefined && present.length > 0)
    throw new Error(`The folder \`${folder}\` has files; choose a new or an empty one.`);
  makeFolder(folder);
  const files = new JobFolder(folder, 0);
  const task: ExportTask = {
    request: base,
    base,
    partition: partition.id,
    level: group === undefined ? 'system' : 'group',
    group,
    moment: await partition.moment(),
    since,
    types: types ?? [...engine.model.types.keys()],
    isNamed: types !== undefined,
    filters: {},
    provenance: 'usual',
    ignored: [],
    isForClients: false,
  };
  const result = await runExport(engine, task, partition, {
    open: (name, bytes) => files.open('.', name, bytes),
    pathOf: name => files.pathOf('.', name),
    mark: undefined,
    files: [],
    signal,
    async keep({ mark }) {
      report(mark.records);
    },
  });
  const listed: Record<AboutFile['list'], object[]> = { output: [], deleted: [], error: [] };
  for (const { name, about } of result.files) {
    const { list, type, count } = about as AboutFile; // files.ts has written it
    const path = list === 'output' ? name : `${list}/${name}`;
    if (list !== 'output') {
      await mkdir(join(folder, list), { recursive: true, mode: ownerOnly.folder });
      await rename(join(folder, name), join(folder, path));
    }
    listed[list].push({ type, url: path, count });
  }
  const manifest = { transactionTime: new Date(task.moment).toISOString(), requiresAccessToken: false, ...listed };
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(join(folder, 'manifest.json'), text, { mode: ownerOnly.file, flag: 'wx', flush: true });
  await syncFolder(folder);
  return result;
}
