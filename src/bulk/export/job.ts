import { isDeepStrictEqual } from 'node:util';
import { scopeInsufficient } from '../../auth/refusals.ts';
import { restriction } from '../../auth/restrict.ts';
import type { Engine, JobAnswers } from '../../interaction/interaction.ts';
import { urlOf } from '../../interaction/jobs.ts';
import type { JobFile } from '../../jobs/job.ts';
import type { JobKind } from '../../jobs/runner.ts';
import { fhirError } from '../../fhir/error.ts';
import type { Query } from '../../search/ast.ts';
import type { AboutFile } from './files.ts';
import { exportKind } from './kick-off.ts';
import { runExport } from './run.ts';
import type { ExportMark } from './run.ts';
import { accessOf, callerOf } from './task.ts';
import type { ExportTask } from './task.ts';

/** The work on jobs of `$export`; `engine` is that of new requests. */
export const exportJobs = (engine: () => Engine): JobKind => ({
  name: exportKind,
  async run({ job, folder, signal, keep }) {
    const task = job.task as ExportTask; // kick-off.ts has written it
    const partition = await engine().store.partition(task.partition);
    if (partition === undefined) throw fhirError(404, 'not-found', 'The partition of the export was removed.');
    const { records } = await runExport(engine().in(partition), task, partition, {
      open: (name, bytes) => folder.open(job.id, name, bytes),
      pathOf: name => folder.pathOf(job.id, name),
      mark: job.mark as ExportMark | undefined, // `runExport` has written it
      files: job.files,
      signal,
      keep,
    });
    return { records };
  },
});

const aboutOf = ({ about }: JobFile): AboutFile => about as AboutFile; // files.ts has written it

/** How jobs of `$export` are answered. https://hl7.org/fhir/uv/bulkdata/STU2/export.html#response---complete-status */
export const exportAnswers: JobAnswers = {
  requireAccess({ model, now }, { access, base, partition }, { task }, file) {
    const { caller, types, provenance } = task as ExportTask; // kick-off.ts has written it
    if (access === 'open' || caller === undefined) return;
    const place = { model, base, partition: partition.id, zone: partition.settings.zone, now: now() };
    const [first, later] = [accessOf(caller, place), accessOf(callerOf(access), place)];
    const about = file && aboutOf(file);
    const all = provenance === 'usual' ? types : [...types, 'Provenance'];
    const needed = about?.list === 'error' ? [] : about?.list === 'output' ? [about.type] : all;
    for (const name of needed) {
      const type = model.types.get(name);
      if (type === undefined || covers(restriction(later, type, 'r'), restriction(first, type, 'r'))) continue;
      const text = `The token does not cover what the export has of ${name}: use the scopes of the kick-off.`;
      throw scopeInsufficient(base, text, [`system/${name}.rs`]);
    }
  },
  done(engine, request, job) {
    const { moment, request: url } = job.task as ExportTask; // kick-off.ts has written it
    const listed = (list: AboutFile['list']) =>
      job.files
        .map(file => ({ file, about: aboutOf(file) }))
        .filter(({ about }) => about.list === list)
        .map(({ file, about }) => ({ type: about.type, url: urlOf(request, job.id, file.name), count: about.count }));
    const manifest = {
      transactionTime: new Date(moment).toISOString(),
      request: url,
      requiresAccessToken: engine.secured,
      output: listed('output'),
      deleted: listed('deleted'),
      error: listed('error'),
    };
    return { status: 200, body: JSON.stringify(manifest), headers: { 'Content-Type': 'application/json' } };
  },
  describe: file => ({ contentType: 'application/fhir+ndjson', patients: aboutOf(file).patients }),
};

/** Whether a rule has every record that another one has, judged by their form alone. */
export function covers(rule: Query, other: Query): boolean {
  if (rule.kind === 'all' || isDeepStrictEqual(rule, other)) return true;
  if (other.kind === 'or') return other.of.every(one => covers(rule, one));
  if (rule.kind === 'or') return rule.of.some(one => covers(one, other));
  return other.kind === 'and' && other.of.some(one => covers(rule, one));
}
