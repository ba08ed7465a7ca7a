import { join } from 'node:path';
import { exportAnswers, exportJobs } from '../../bulk/export/job.ts';
import { exportKind, kickOff } from '../../bulk/export/kick-off.ts';
import { sqlExport, tablesKind } from '../../bulk/tables/export.ts';
import { tableAnswers, tableJobs } from '../../bulk/tables/export-job.ts';
import { sqlRun } from '../../bulk/tables/run.ts';
import type { Config } from '../../config/read.ts';
import type { Engine, Interaction, Jobs } from '../../interaction/interaction.ts';
import { JobFolder } from '../../jobs/folder.ts';
import { JobRecords } from '../../jobs/records.ts';
import { JobRunner } from '../../jobs/runner.ts';
import type { Store } from '../../store/port/store.ts';
import { parseStoreUrl } from '../../store/url.ts';
import type { Start } from '../start.ts';

/** The operations of later folders than `interaction`. */
export const laterOperations: ReadonlyMap<string, Interaction> = new Map([
  ['export', kickOff],
  ['sql-export', sqlExport],
  ['sql-run', sqlRun],
  ['viewdefinition-export', sqlExport],
  ['viewdefinition-run', sqlRun],
]);

/** The jobs of a server. */
export interface OpenedJobs extends Jobs {
  /** Lets this process work on jobs, with the engine of new requests. */
  work(engine: () => Engine): void;
}

/** Opens the jobs of a store. Each process that answers requests works on them once `work` is called. */
export function openJobs({ config, now, log, opened }: Start, store: Store): OpenedJobs {
  const records = new JobRecords(store, now);
  const folder = new JobFolder(folderOf(config), config.exportFree);
  let runner: JobRunner | undefined;
  return {
    records,
    folder,
    mostOfClient: config.exportJobs,
    answers: new Map([
      [exportKind, exportAnswers],
      [tablesKind, tableAnswers],
    ]),
    wake: () => runner?.wake(),
    work(engine) {
      const kinds = [exportJobs(engine), tableJobs(engine, now)];
      const fault = (error: unknown): void => log.fault(error, 'none');
      const working = new JobRunner({ records, folder, kinds, keep: config.exportKeep, now, fault });
      runner = working;
      opened(() => working.close());
    },
  };
}

/** The folder for files: that of the settings, or one beside the store. */
function folderOf({ exportFolder, store }: Pick<Config, 'exportFolder' | 'store'>): string {
  if (exportFolder !== undefined) return exportFolder;
  const place = parseStoreUrl(store);
  if (place?.kind === 'mongodb') return join('data', `${place.database}.exports`);
  return `${place?.file ?? 'records'}.exports`;
}
