import type { Flag } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { counted } from '../observability/counted.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { partitionOf, withStore } from './open.ts';
import { createProgress } from './progress.ts';
import { recordId } from './record-flags.ts';

/** Milliseconds since 1970 UTC. Throws Error for what is no instant. */
function instant(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return time;
  throw new Error(`is \`${text}\`, but must be a time with seconds and a zone: \`2026-11-28T12:00:00Z\`.`);
}

const flags = [
  { flag: 'out', value: 'DIR', read: String, meaning: 'The folder: new or empty' },
  { flag: 'type', value: 'TYPE,TYPE', read: String, meaning: 'Only these resource types' },
  { flag: 'since', value: 'TIME', read: instant, meaning: 'Only what changed after this instant, and deletions' },
  { flag: 'group', value: 'ID', read: recordId, meaning: 'Only the members of this Group, and what belongs to them' },
] as const satisfies readonly Flag[];

/** Writes the records of a partition as files, as `$export` does. */
export const command = defineCommand({
  details: `Files \`Type.1.ndjson\` of one type each, deletions in \`deleted/\`, and \`manifest.json\`: the records as
they were at one moment, also beside a running server. \`load DIR\` stores them in another store, attachments included.
Exit code 3 if records could not be exported: they are named in \`error/\`.

  npm run cli -- export --partition clinic --out ./export
  npm run cli -- export --partition clinic --out ./changes --since 2026-11-28T12:00:00Z`,
  takes: [...storeSettings, 'partition'],
  own: flags,
  async run({ config, own }) {
    const { out, since, group } = own;
    if (out === undefined) throw new ConfigError(['`--out` is missing.']);
    return withStore(config, 'command', async opened => {
      const { writeExport } = await import('../bulk/export/write.ts');
      const partition = await partitionOf(opened.store, config.partition);
      const { model } = partition.definitions;
      const named = own.type?.split(',');
      const unknown = named?.find(name => !model.types.has(name));
      if (unknown !== undefined)
        throw new CommandError(`The type \`${unknown}\` is not declared.${didYouMean(unknown, model.types.keys())}`);
      const progress = createProgress('records', process.stderr, Date.now);
      const about = {
        command: 'export',
        kind: 'export',
        action: 'R',
        partition: partition.id,
        owner: opened.owner,
        details: { ...(own.type === undefined ? {} : { type: own.type }), ...(group === undefined ? {} : { group }) },
      } as const;
      const asked = { types: named, since, group, base: `${opened.publicUrl}/r4/${partition.id}` };
      const stopped = (): string => 'Stopped. To start over, remove the folder or name another one.';
      const { records, failed } = await interruptible(stopped, ({ signal, check }) =>
        audited(opened, about, async add => {
          try {
            const result = await writeExport(opened, partition, out, asked, signal, done =>
              progress.update(done, undefined),
            );
            add({ details: { records: result.records } });
            return result;
          } catch (error) {
            check();
            throw error;
          } finally {
            progress.end();
          }
        }),
      );
      console.log(`${counted(records, 'record')} written to ${out}.`);
      if (failed === 0) return exitCodes.done;
      console.error(`${counted(failed, 'record')} could not be exported: see ${out}/error.`);
      return exitCodes.found;
    });
  },
});
