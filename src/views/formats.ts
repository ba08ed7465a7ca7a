import type { ViewRow } from './rows.ts';
import { createTextWriter, textTypes } from './text-formats.ts';
import type { TextFormat, TextOptions } from './text-formats.ts';
import type { View } from './view.ts';

/** The formats of rows that can be streamed. */
export type RowFormat = TextFormat | 'parquet';

/** Their media types. https://build.fhir.org/ig/HL7/sql-on-fhir/en/operations-common.html */
export const rowTypes: Readonly<Record<RowFormat, string>> = {
  ...textTypes,
  parquet: 'application/vnd.apache.parquet',
};

/** Prints rows in parts: what precedes them, pages of rows, and their end. An empty part has nothing to send. */
export interface RowWriter {
  begin(): string | Uint8Array;
  rows(rows: readonly ViewRow[]): string | Uint8Array;
  end(): string | Uint8Array;
}

/** A writer for the rows of one answer or file. */
export async function createRowWriter(format: RowFormat, view: View, options: TextOptions): Promise<RowWriter> {
  if (format === 'parquet') {
    // Loaded at its first use: a start does not need it.
    const { parquetWriter } = await import('./parquet.ts');
    return parquetWriter(view);
  }
  const text = createTextWriter(format, view, options);
  return { begin: () => text.begin, rows: rows => rows.map(row => text.row(row)).join(''), end: () => text.end() };
}
