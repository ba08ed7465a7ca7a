import { resolve } from 'node:path';
import program from '../../package.json' with { type: 'json' };
import { integer, some } from '../config/values.ts';
import { counted } from '../observability/counted.ts';
import { parseStoreUrl } from '../store/url.ts';
import { type LayoutChange, type LayoutState, secondsOf } from '../store/layout.ts';
import { readLayout } from '../store/open.ts';
import { defineCommand, exitCodes, fileSettings } from './command.ts';

const hour = 3_600_000;

/** Shows what a start of this version would change in the store, how long that takes, and how old the backup is. */
export const command = defineCommand({
  details: `Run it with the new version before it serves the store; nothing is changed, and the old version may serve
meanwhile. Times are upper estimates from the number of records. The next start of \`serve\` makes the
changes. Older versions refuse the store afterwards: to go
back, restore the backup. Exit code 3 without a recent backup. On MongoDB the age of a backup cannot be
seen; check it with the tools that made it.

  npm run cli -- upgrade check --backup ./backups/2026-11-02`,
  takes: fileSettings,
  own: [
    { flag: 'backup', value: 'DIR', read: some, meaning: 'The folder of the last backup' },
    {
      flag: 'max-age',
      value: 'NUMBER',
      read: integer(1, 10_000),
      default: '24',
      unit: 'hours',
      meaning: 'A backup that is older is not recent',
    },
  ],
  async run({ config, own }) {
    const state = await readLayout(config.store);
    const { found, newest, changes, records, versions } = state;
    console.log(
      `Version ${program.version} has layout ${newest}; the store has layout ${found}, ` +
        `${counted(records, 'record')} and ${counted(versions, 'older version')}.`,
    );
    for (const change of changes) console.log(changeLine(change, state));
    console.log(changes.length > 0 ? total(state) : 'A start changes nothing.');
    const isMongo = parseStoreUrl(config.store)?.kind === 'mongodb';
    const finding = isMongo ? undefined : await checkBackup(own.backup, own['max-age'] * hour, records);
    if (isMongo) console.log('Check that a backup made with the tools of MongoDB is recent.');
    return finding === undefined ? exitCodes.done : exitCodes.found;
  },
});

function changeLine(change: LayoutChange, state: LayoutState): string {
  const seconds = secondsOf(change, state);
  const when = change.work?.when === 'background' ? 'in the background' : 'before the server answers';
  return [change.layout, change.change, seconds === 0 ? 'at once' : `${when}, at most ${duration(seconds)}`].join('\t');
}

function total(state: LayoutState): string {
  const ofStart = state.changes.filter(({ work }) => work?.when === 'start');
  const seconds = ofStart.reduce((sum, change) => sum + secondsOf(change, state), 0);
  return seconds === 0
    ? 'The next start of `serve` upgrades the store at once.'
    : `The next start of \`serve\` upgrades the store and answers after at most ${duration(seconds)}.`;
}

/** Prints the state of the backup; returns a sentence if it is missing or not recent. */
async function checkBackup(folder: string | undefined, longest: number, records: number): Promise<string | undefined> {
  if (folder === undefined) return say('No backup was named: `backup DIR` makes one, `--backup DIR` names it.');
  const { readManifest } = await import('../store/backup/manifest.ts');
  const { time, database, findings } = await readManifest(resolve(folder));
  const age = Date.now() - Date.parse(time);
  const what = `The backup of ${time} has ${counted(database.records, 'record')} (the store has ${records})`;
  if (age > longest) return say(`${what}. It is ${duration(age / 1_000)} old: make another one with \`backup DIR\`.`);
  if (findings > 0)
    return say(`${what}, and the damage of the store: ${counted(findings, 'finding')}. See \`verify\`.`);
  console.log(`${what}. It is recent.`);
  return undefined;
}

function say(finding: string): string {
  console.log(finding);
  return finding;
}

/** Rounded up to a unit that is easy to read. */
function duration(seconds: number): string {
  if (seconds <= 60) return counted(Math.max(1, Math.ceil(seconds)), 'second');
  if (seconds <= 2 * 3_600) return counted(Math.ceil(seconds / 60), 'minute');
  return seconds <= 48 * 3_600
    ? counted(Math.ceil(seconds / 3_600), 'hour')
    : counted(Math.ceil(seconds / 86_400), 'day');
}
