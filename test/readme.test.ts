import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exitCodeMeanings } from '../src/cli/command.ts';
import { commands } from '../src/cli/commands.ts';
import { findings } from '../src/cli/findings.ts';
import { settingsTable } from '../src/config.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The rows of the table whose header begins so, with their cells. */
function rowsOf(header: string): string[][] {
  const lines = readme.split('\n');
  const start = lines.findIndex(line => line.startsWith(`| ${header} `));
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex(line => !line.startsWith('|')),
    )
    .map(line =>
      line
        .split('|')
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
}

describe('the README', () => {
  it('has the table of all settings', () => {
    expect(readme).toContain(`\n${settingsTable()}\n`);
  });

  it('lists all commands and exit codes', () => {
    expect(rowsOf('Command')).toEqual(commands.map(({ name, summary }) => [`\`${name}\``, summary]));
    expect(rowsOf('Exit code')).toEqual(exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]));
  });

  it('says what each finding of `verify` means', () => {
    const rows = findings.map(([finding, ...rest]) => [`\`${finding}\``, ...rest]);
    expect(rowsOf('Finding')).toEqual(rows);
  });

  it('names files and folders that are there', () => {
    const steps = rowsOf('Step').map(([, file]) => file?.replaceAll('`', '') ?? '');
    expect(steps.length).toBeGreaterThan(5);
    for (const file of steps) expect(() => readFileSync(new URL(`../src/${file}`, import.meta.url))).not.toThrow();
    const folders = readdirSync(new URL('../src', import.meta.url), { withFileTypes: true });
    for (const folder of folders.filter(entry => entry.isDirectory())) expect(readme).toContain(`${folder.name}/`);
  });
});
