import type { Schema } from './schema.ts';
import { fileFlag, settings } from './settings.ts';

/** The settings as a Markdown table: flag, variable, default, unit, meaning. */
export function settingsTable(): string {
  return table(
    ['Flag', 'Variable', 'Default', 'Unit', 'Meaning'],
    [fileFlag, ...settings].map(row => [
      `\`--${row.flag}\`${row.repeats === true ? ' (repeats)' : ''}`,
      `\`${row.variable}\``,
      row.default === undefined ? (row.defaultNote ?? 'none') : `\`${row.default}\``,
      row.unit ?? '',
      row.meaning,
    ]),
  );
}

/** The keys of an object in a settings or accounts file as a Markdown table: key, default, meaning. */
export function keysTable({ properties = {}, required = [] }: Schema): string {
  return table(
    ['Key', 'Default', 'Meaning'],
    Object.entries(properties).map(([key, row]) => {
      const none = required.includes(key) ? 'required' : 'none';
      const fallback = row.default === undefined ? (row.defaultNote ?? none) : `\`${row.default}\``;
      return [`\`${key}\``, fallback, row.description ?? ''];
    }),
  );
}

function table(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...body.map(row => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join('\n');
}
