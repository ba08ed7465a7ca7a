import { exactOf, plainOf, printExact } from '../fhir/exact-json.ts';
import type { ExactJson } from '../fhir/exact-json.ts';
import { parseJson } from '../fhir/json.ts';
import { primitives } from '../fhir/primitive.ts';
import { printCell } from './cell.ts';
import type { Cell } from './cell.ts';
import type { ViewRow } from './rows.ts';
import type { View, ViewColumn } from './view.ts';

/** The formats of rows as text. https://build.fhir.org/ig/HL7/sql-on-fhir/en/operations-common.html */
export type TextFormat = 'csv' | 'ndjson' | 'json' | 'fhir';

/** Prints a table in parts: what precedes its rows, each row, and its end. */
export interface TextWriter {
  readonly begin: string;
  row(row: ViewRow): string;
  end(): string;
}

export interface TextOptions {
  /** Whether CSV begins with the names of the columns. */
  readonly header: boolean;
}

/** The media types of the formats. */
export const textTypes: Readonly<Record<TextFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  fhir: 'application/fhir+json; charset=utf-8',
};

/** Prints the rows of a view in a format. Rows of JSON have every column. */
export function createTextWriter(format: TextFormat, { columns, types }: View, { header }: TextOptions): TextWriter {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const object = (row: ViewRow): string => `{${row.map((cell, at) => `${names[at]}${printCell(cell)}`).join(',')}}`;
  let first = true;
  const between = (): string => {
    if (!first) return ',\n';
    first = false;
    return '';
  };
  switch (format) {
    case 'csv':
      return {
        begin: header ? csvLine(columns.map(({ name }) => name)) : '',
        row: csvLine,
        end: () => '',
      };
    case 'ndjson':
      return { begin: '', row: row => `${object(row)}\n`, end: () => '' };
    case 'json':
      return { begin: '[', row: row => `${between()}${object(row)}`, end: () => ']\n' };
    case 'fhir': {
      const isComplex = (type: string): boolean =>
        types.get(type) !== undefined && !types.resourceTypes.has(type) && /^(?!Backbone|Element$)[A-Z]\w*$/.test(type);
      const part = fhirPart(isComplex);
      const begin = '{"resourceType":"Parameters"';
      return {
        begin,
        row: row => {
          const parts = columns.flatMap((column, at) => part(column, row[at] ?? null));
          const open = first ? ',"parameter":[' : '';
          return `${open}${between()}{"name":"row"${parts.length === 0 ? '' : `,"part":[${parts.join(',')}]`}}`;
        },
        end: () => (first ? '}' : ']}'),
      };
    }
    default:
      return format satisfies never;
  }
}

/** https://www.rfc-editor.org/rfc/rfc4180#section-2 */
function csvLine(cells: readonly Cell[]): string {
  const [only] = cells;
  // The line of one empty field would be read as no line.
  if (cells.length === 1 && only === null) return '""\r\n';
  return `${cells.map(csvField).join(',')}\r\n`;
}

function csvField(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? cell.json : String(cell);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The parts of a cell: one for each value of a collection, none for null. */
const fhirPart =
  (isComplex: (type: string) => boolean) =>
  ({ name, type = '', collection }: ViewColumn, cell: Cell): readonly string[] => {
    const part = (value: ExactJson): string => {
      const [property, text] = valueOf(value, type, isComplex);
      return `{"name":${JSON.stringify(name)},${JSON.stringify(property)}:${text}}`;
    };
    if (cell === null) return [];
    const { value, decimals } = parseJson(`[${printCell(cell)}]`);
    const [exact] = exactOf({ value, decimals }) as ExactJson[]; // an array of one
    if (exact === undefined) return [];
    return collection && Array.isArray(exact) ? exact.map(part) : [part(exact)];
  };

/** The name of `value[x]` for a value of a column of a type, and its JSON. */
function valueOf(value: ExactJson, type: string, isComplex: (type: string) => boolean): readonly [string, string] {
  const named = `value${type.charAt(0).toUpperCase()}${type.slice(1)}`;
  const text = printExact(value);
  if (typeof value === 'object' && value !== null) {
    // Elements of records are no type of a value.
    return isComplex(type) ? [named, text] : ['valueString', JSON.stringify(text)];
  }
  const plain = plainOf(value);
  const primitive = primitives.get(type);
  const fits =
    primitive?.json === 'boolean'
      ? typeof plain === 'boolean'
      : primitive?.json === 'number'
        ? typeof plain === 'number' && primitive.is(plain)
        : primitive?.json === 'string' && typeof plain === 'string' && primitive.is(plain);
  if (fits && type !== 'integer64') return [named, text];
  if (typeof plain === 'boolean') return ['valueBoolean', text];
  return typeof plain === 'number' ? ['valueDecimal', text] : ['valueString', text];
}
