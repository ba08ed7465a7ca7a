import type { NotIndexedCounts } from '../indexing/not-indexed.ts';

/** Rows as lines, with the first cells in a column. */
export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** Rows as columns for people: a line of headings, then one line per row. Empty cells are shown as a hyphen. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map(row => row.map(cell => (cell === '' ? '-' : cell)));
  const widths = headings.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)));
  return lines
    .map(line =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/**
 * A text as a field of a line: without characters that would end the field or the line, or move the cursor of a
 * terminal.
 */
export const printable = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');

/** A line for each search parameter and reason: how many records are not indexed by it, and the first of them. */
export const notIndexedLines = ({ all }: NotIndexedCounts): readonly string[] =>
  all.map(({ first: { type, id, param, why }, records }) => {
    const [what, which] = records === 1 ? ['record is', `${type}/${id}`] : ['records are', `${type}/${id} and others`];
    return `${count(records)} ${what} not indexed by ${type}?${param}, whose expression fails on ${which}: ${why}`;
  });

/** 1234567 → `1,234,567`. */
export function count(value: number): string {
  return value.toLocaleString('en-CA');
}
