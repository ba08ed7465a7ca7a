import type { Flag } from '../config/flag.ts';
import { constants, getPriority, setPriority } from 'node:os';
import type { LoadProgress } from '../bulk/progress.ts';
import { ConfigError } from '../config/read.ts';
import { choice, some } from '../config/values.ts';
import { audited } from './audited.ts';
import { defineCommand, exitCodes, storeSettings } from './command.ts';
import { interruptible } from './interruption.ts';
import { count, notIndexedLines } from './print.ts';
import { partitionOf, withStore } from './open.ts';
import { createProgress } from './progress.ts';
import { counted } from '../observability/counted.ts';

const flags = [
  {
    flag: 'rejects',
    value: 'FILE',
    read: some,
    default: 'rejects.ndjson',
    meaning: 'File for rejected records, each with an OperationOutcome; created if needed',
  },
  {
    flag: 'undeclared',
    value: 'HOW',
    read: choice('skip', 'reject'),
    default: 'skip',
    meaning: 'Records of types that are not declared: skip and count them, or reject them',
  },
] as const satisfies readonly Flag[];

/** Loads files into a partition and reports the result; rejected records go to a file. */
export const command = defineCommand({
  positionals: 'FILE...',
  details: `FILE is NDJSON, a Bundle or one resource (JSON or XML), also compressed by gzip, a folder of such files, or
- for stdin.
Ids are kept. Loading again changes nothing, and an interrupted load continues. A server may run
meanwhile. Structural errors reject a record; violations of other rules are counted, or reject it too if
the validation-policy is enforce. Exit code 3 if records were rejected.`,
  takes: [...storeSettings, 'partition'],
  own: flags,
  async run({ config, own, positionals }) {
    if (positionals.length === 0) throw new ConfigError(['FILE is missing: name a file or a folder, or - for stdin.']);
    const rejects = own.rejects;
    const undeclared = own.undeclared;
    const [{ load }, { keepHeapSmall }, { createValidator }] = await Promise.all([
      import('../bulk/load.ts'),
      import('../limits/small-heap.ts'),
      import('../validation/profile/validator.ts'),
    ]);
    return withStore(config, 'command', async opened => {
      keepHeapSmall();
      const { store, publicUrl, notIndexed } = opened;
      const partition = await partitionOf(store, config.partition);
      const { model, extract, definitions } = opened.in(partition);
      const base = `${publicUrl}/r4/${partition.id}`;
      const validator = createValidator(definitions, model.definitions);
      const { stdin } = process;
      const progress = createProgress('records', process.stderr, Date.now);
      let asked = performance.now();
      const giveWayToServer = async (): Promise<void> => {
        if ((await store.check()).served) giveWay();
      };
      await giveWayToServer(); // before other threads exist, which inherit the priority of this one
      let last: LoadProgress | undefined;
      const stopped = (): string =>
        `Stopped. ${last === undefined ? 'The same command continues there.' : continued(last, rejects)}`;
      const about = { command: 'load', kind: 'import', action: 'C', partition: partition.id } as const;
      const context = {
        model,
        definitions,
        partition,
        extract,
        validator,
        base,
        undeclared,
        now: Date.now,
        rejects,
        stdin,
      };
      await interruptible(stopped, ({ signal, check }) =>
        audited(opened, about, async add => {
          try {
            for await (last of load(positionals, { ...context, signal })) {
              const { records, file, bytes, totalBytes } = last;
              progress.update(
                records,
                undefined,
                file,
                totalBytes === undefined ? undefined : bytes / Math.max(1, totalBytes),
              );
              if (performance.now() - asked < askAgain) continue;
              asked = performance.now();
              await giveWayToServer();
            }
            if (last?.done !== true) check();
          } finally {
            progress.end();
            if (last !== undefined) add({ details: figuresOf(last) }); // also the progress before a failure
          }
        }),
      );
      if (last === undefined) return exitCodes.done;
      for (const line of report(last, rejects)) console.log(line);
      for (const line of notIndexedLines(notIndexed)) console.log(line);
      return last.rejected > 0 ? exitCodes.found : exitCodes.done;
    });
  },
});

/** How often it is checked whether a server runs, in milliseconds. */
const askAgain = 1000;

/** Gives a server priority for the processor: its answers take a third of the time that they take otherwise. */
function giveWay(): void {
  const { PRIORITY_BELOW_NORMAL } = constants.priority;
  if (getPriority() < PRIORITY_BELOW_NORMAL) setPriority(PRIORITY_BELOW_NORMAL);
}

/** The figures of a load in its event. */
const figuresOf = ({
  records,
  created,
  updated,
  removed,
  rejected,
}: LoadProgress): Readonly<Record<string, number>> => ({
  records,
  created,
  updated,
  removed,
  rejected,
});

const broken = (warnings: LoadProgress['warnings']): string =>
  [...warnings].map(([kind, findings]) => `${count(findings)} ${kind}`).join(', ');

/** The number of records, and of each outcome. */
function summary({ records, created, updated, removed, unchanged, rejected, skipped }: LoadProgress): string {
  const skippedRecords = [...skipped.values()].reduce((sum, records) => sum + records, 0);
  const parts: [number, string][] = [
    [created, 'created'],
    [updated, 'updated'],
    [removed, 'removed'],
    [unchanged, 'unchanged'],
    [skippedRecords, 'skipped'],
    [rejected, 'rejected'],
  ];
  const outcomes = parts.filter(([records]) => records > 0).map(([records, what]) => `${count(records)} ${what}`);
  return `${counted(records, 'record')}: ${outcomes.length === 0 ? 'nothing to do' : outcomes.join(', ')}.`;
}

/**
 * The progress of a stopped load, and how to continue it. Input that can be read only once has no mark in the store.
 */
function continued(last: LoadProgress, rejects: string): string {
  const how =
    last.totalBytes === undefined
      ? 'Run the same command with the same input again; loaded records stay unchanged.'
      : 'The same command continues there.';
  return [summary(last), ...loadedBefore(last), ...leftOver(last, rejects), how].join(' ');
}

const loadedBefore = ({ resumed }: LoadProgress): string[] =>
  resumed > 0 ? [`${count(resumed)} more were loaded by an earlier run.`] : [];

const leftOver = ({ rejected }: LoadProgress, rejects: string): string[] =>
  rejected > 0 ? [`Rejected records are in ${rejects}.`] : [];

function report(last: LoadProgress, rejects: string): string[] {
  const { skipped, links, warned, warnings } = last;
  return [
    summary(last),
    ...loadedBefore(last),
    ...[...skipped].map(([type, records]) => `Skipped, type not declared: ${type} (${count(records)}).`),
    ...links.map(path => `Symbolic link, not followed: ${path}`),
    ...(warned > 0
      ? [
          `${counted(warned, 'record breaks', 'records break')} rules that reject nothing: ` +
            `${broken(warnings)}. \`validate\` lists every finding.`,
        ]
      : []),
    ...leftOver(last, rejects),
  ];
}
