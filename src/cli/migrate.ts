import { toggle } from '../config/flag.ts';
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ComparedType, Migrated, MigrateProgress } from '../bulk/migrate.ts';
import { type Config, ConfigError } from '../config/read.ts';
import { storeUrl } from '../config/values.ts';
import { hideCredentials, parseStoreUrl } from '../store/url.ts';
import { audited } from './audited.ts';
import { CommandError, defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { openAt, type Opened } from './open.ts';
import { createProgress } from './progress.ts';
import { count } from './print.ts';
import { counted } from '../observability/counted.ts';

/** Copies a store into another one, of the same or another kind, and finally compares both. */
export const command = defineCommand({
  details: `Partitions, every version and deletion with its text, number and time, attachments, documents, marks and
keys; not the audit log, which stays in its store. For a URL with a password omit the flag: --from or --to
defaults to the store of the settings. The target must be new. An interrupted run continues; run again, it
copies what was added since. Finally it reads both stores completely and prints a line for each type:
partition, type, records (deleted ones too), versions, attachments, bytes, and a SHA-256 over all of it.
Exit code 3 if the stores differ; the line of the target then follows that of the source.

  npm run cli -- migrate --from sqlite:./data/records.sqlite --to mongodb://localhost:27017/records`,
  takes: storeSettings,
  own: [
    {
      flag: 'from',
      value: 'URL',
      read: storeUrl,
      meaning: 'The store that is copied; only its audit log changes',
    },
    { flag: 'to', value: 'URL', read: storeUrl, meaning: 'The target store; created if needed' },
    toggle('beside-server', 'Run also while a server uses one of them: repeat it when the server is stopped'),
  ],
  async run({ config, own }) {
    const [given, wanted] = [own.from, own.to];
    if (given === undefined && wanted === undefined) throw new ConfigError(['`--from` and `--to` are missing.']);
    const [from, to] = [given ?? config.store, wanted ?? config.store];
    const source = placeOf(from);
    if (source === placeOf(to)) throw new ConfigError(['`--from` and `--to` name the same store.']);
    return withBoth(config, from, to, async (ours, theirs) => {
      if (own['beside-server'] !== true) await refuseServed(ours, theirs);
      const [fromName, toName] = [hideCredentials(from), hideCredentials(to)];
      const copied = { command: 'migrate', kind: 'export', action: 'R', details: { to: toName } } as const;
      const kept = { command: 'migrate', kind: 'import', action: 'C', details: { from: fromName } } as const;
      return audited(ours, copied, () =>
        audited(theirs, kept, () => run(ours, theirs, createHash('sha256').update(source).digest('hex'))),
      );
    });
  },
});

/** The store of a URL, without credentials. */
function placeOf(url: string): string {
  const parsed = parseStoreUrl(url);
  if (parsed?.kind !== 'sqlite')
    return url
      .replace(/\/\/[^/]*@/, '//')
      .replace(/\?.*$/, '')
      .replace(/\/$/, '');
  try {
    return `sqlite:${realpathSync(parsed.file)}`;
  } catch {
    return `sqlite:${resolve(parsed.file)}`;
  }
}

async function withBoth<T>(
  config: Config,
  from: string,
  to: string,
  work: (ours: Opened, theirs: Opened) => Promise<T>,
): Promise<T> {
  const [{ requireModel }, { requireStore }] = await Promise.all([
    import('../engine/definitions/load-model.ts'),
    import('../store/open.ts'),
  ]);
  await requireStore(from);
  const loaded = await requireModel(config);
  const ours = await openAt(config, from, loaded, 'read');
  try {
    const theirs = await openAt(config, to, loaded, 'command');
    try {
      return await work(ours, theirs);
    } finally {
      await theirs.close();
    }
  } finally {
    await ours.close();
  }
}

async function refuseServed(ours: Opened, theirs: Opened): Promise<void> {
  for (const [name, { store }] of [
    ['source', ours],
    ['target', theirs],
  ] as const)
    // prettier-ignore
    if ((await store.check()).served)
      throw new CommandError(
        `A server uses the ${name}: its writes may be missing from the copy. Stop it, or add \`--beside-server\`.`,
      );
}

async function run(ours: Opened, theirs: Opened, source: string): Promise<0 | 3> {
  const { migrate } = await import('../bulk/migrate.ts');
  const types = [...ours.model.types.keys()];
  let progress = createProgress('records copied', process.stderr, Date.now);
  let at: Exclude<MigrateProgress, { readonly step: 'done' }> | undefined;
  let result: Migrated | undefined;
  await interruptible(
    () => stopped(at),
    async ({ steps }) => {
      try {
        for await (const state of steps(
          migrate({ from: ours.store, to: theirs.store, types, source, now: Date.now }),
        )) {
          if (state.step === 'done') {
            ({ result } = state);
            break;
          }
          if (state.step === 'compare' && at?.step !== 'compare') {
            progress.end();
            progress = createProgress('records compared', process.stderr, Date.now);
          }
          at = state;
          progress.update(state.records, state.of, state.note);
        }
      } finally {
        progress.end();
      }
    },
  );
  if (result === undefined) throw new CommandError('The migration ended early.');
  for (const line of report(result, ours)) console.log(line);
  return result.same ? exitCodes.done : exitCodes.found;
}

/** The progress of a stopped migration, and how to continue it. */
function stopped(at: { readonly step: 'copy' | 'compare'; readonly records: number; readonly of: number } | undefined) {
  if (at?.step === 'compare') return 'Stopped: all is copied, but not compared. The same command compares again.';
  const far = at === undefined ? '' : ` after ${count(at.records)} of ${count(at.of)} records`;
  return `Stopped${far}. The same command continues there.`;
}

function report({ types, notes, same, resumed }: Migrated, { model }: Opened): string[] {
  const undeclared = [...new Set(types.map(({ type }) => type))].filter(type => !model.types.has(type));
  const total = (of: (one: ComparedType) => number): number => types.reduce((sum, one) => sum + of(one), 0);
  const all = createHash('sha256').update(types.map(one => lineOf(one, one.to)).join('\n'));
  const marks = counted(notes.marks, 'mark');
  const small = `${counted(notes.documents, 'document')}, ${marks} and ${counted(notes.keys, 'key')}`;
  return [
    ...types.flatMap(one =>
      one.from.digest === one.to.digest
        ? [lineOf(one, one.from)]
        : [`${lineOf(one, one.from)}\tsource`, `${lineOf(one, one.to)}\ttarget`],
    ),
    ...(resumed ? ['Continued an interrupted run.'] : []),
    ...undeclared.map(
      type => `${type} is not declared by these definitions: its records were copied without index entries.`,
    ),
    ...(notes.different > 0 ? [`${count(notes.different)} of ${small} differ.`] : []),
    same
      ? `Both stores have the same content: ${counted(
          total(one => one.to.records),
          'record',
        )} in ${counted(
          total(one => one.to.versions),
          'version',
        )}, ${small}. Digest ${all.digest('hex')}.`
      : 'The stores differ. Stop all processes that write to them, and run this again: it copies the rest.',
  ];
}

function lineOf({ partition, type }: ComparedType, content: ComparedType['to']): string {
  const { records, versions, attachments, bytes, digest } = content;
  return [partition, type, records, versions, attachments, bytes, digest].join('\t');
}
