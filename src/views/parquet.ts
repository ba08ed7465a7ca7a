import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet-writer';
import { cellText, wholeNumber } from './cell.ts';
import type { Cell } from './cell.ts';
import type { RowWriter } from './formats.ts';
import { RowError } from './row-error.ts';
import type { ViewRow } from './rows.ts';
import { storageOf } from './sql.ts';
import type { View, ViewColumn } from './view.ts';

/** Rows of a row group, and characters of its texts: they are in memory, and encoded without a pause. */
const group = { rows: 4_000, characters: 2 * 1024 * 1024 };

/**
 * Writes rows as Parquet: booleans, integers and UTF-8 texts, all nullable.
 * https://parquet.apache.org/docs/file-format/
 */
export function parquetWriter({ columns }: View): RowWriter {
  const bytes = new ByteWriter();
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(column => ({
      name: column.name,
      repetition_type: 'OPTIONAL' as const,
      ...elements[storageOf(column)],
    })),
  ];
  const parquet = new ParquetWriter({
    writer: bytes,
    schema,
    statistics: false,
    createdBy: 'clinical-records-service',
  });
  let waiting: ViewRow[] = [];
  let characters = 0;

  /** The bytes since the last call; offsets in the file go on. */
  const taken = (): Uint8Array => {
    const chunk = bytes.getBytes().slice();
    bytes.index = 0;
    return chunk;
  };
  const writeGroup = (): string | Uint8Array => {
    const rows = waiting;
    [waiting, characters] = [[], 0];
    if (rows.length === 0) return '';
    const columnData = columns.map((column, at) => ({
      name: column.name,
      data: rows.map(row => valueOf(column, row[at] ?? null)),
      offsetIndex: false,
    }));
    void parquet.write({ columnData, rowGroupSize: rows.length }); // the writer in memory is synchronous
    return taken();
  };
  return {
    begin: taken,
    rows: rows => {
      const chunks: Uint8Array[] = [];
      for (const row of rows) {
        waiting.push(row);
        for (const cell of row) characters += typeof cell === 'object' ? (cell?.json.length ?? 0) : String(cell).length;
        if (waiting.length < group.rows && characters < group.characters) continue;
        const chunk = writeGroup();
        if (typeof chunk !== 'string') chunks.push(chunk);
      }
      return chunks.length === 0 ? '' : Buffer.concat(chunks);
    },
    end: () => {
      const last = writeGroup();
      void parquet.finish();
      return Buffer.concat([typeof last === 'string' ? Buffer.alloc(0) : last, taken()]);
    },
  };
}

const elements = {
  boolean: { type: 'BOOLEAN' },
  integer: { type: 'INT32' },
  long: { type: 'INT64' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
} as const;

function valueOf(column: ViewColumn, cell: Cell): unknown {
  if (cell === null) return null;
  const storage = storageOf(column);
  if (storage === 'text') return cellText(cell);
  const value = storage === 'boolean' ? cell : wholeNumber(cell);
  if (storage === 'boolean' && typeof value === 'boolean') return value;
  if (storage === 'long' && typeof value === 'bigint') return value;
  if (storage === 'integer' && typeof value === 'bigint' && value === BigInt.asIntN(32, value)) return Number(value);
  throw new RowError('invalid', `The column \`${column.name}\` has a value that is no ${column.type}.`, {
    place: column.place,
  });
}
