/** A cell: texts go left, numbers (already printed) right. */
export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** Rows under titles, in columns as wide as their widest cell, one line each. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...rows.map(row => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ align }, at) => {
        const [cell, width] = [cells[at] ?? '', widths[at] ?? 0];
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd();
  return [
    line(columns.map(({ title }) => title)),
    line(widths.map(width => '-'.repeat(width))),
    ...rows.map(line),
  ].join('\n');
}

/** A figure with three digits that matter: `12,345`, `123`, `12.3`, `1.23`; a dash for none. */
export function figure(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '-';
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
