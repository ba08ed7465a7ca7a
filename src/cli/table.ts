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
