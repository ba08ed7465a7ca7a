import type { View, ViewColumn } from './view.ts';

/**
 * The SQL types of FHIR types; all others are texts.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html
 */
const sqlTypes: ReadonlyMap<string, string> = new Map([
  ['boolean', 'BOOLEAN'],
  ['integer', 'INT'],
  ['positiveInt', 'INT'],
  ['unsignedInt', 'INT'],
  ['integer64', 'BIGINT'],
  ['base64Binary', 'BINARY'],
  ['instant', 'TIMESTAMP WITH TIME ZONE'],
]);

/** The SQL type of a column: the one that its tag `ansi/type` states, else that of its FHIR type. */
export const sqlTypeOf = ({ type, collection, sqlType }: ViewColumn): string =>
  sqlType ?? (collection ? undefined : sqlTypes.get(type ?? '')) ?? 'CHARACTER VARYING';

/** How files with typed columns store the cells of a column: decimals, dates and times as the texts of FHIR. */
export function storageOf({ type, collection }: ViewColumn): 'boolean' | 'integer' | 'long' | 'text' {
  const sql = collection ? undefined : sqlTypes.get(type ?? '');
  if (sql === 'BOOLEAN') return 'boolean';
  if (sql === 'INT') return 'integer';
  return sql === 'BIGINT' ? 'long' : 'text';
}

/** The statement that creates the table of a view. */
export function createTable({ name = 'view', columns }: Pick<View, 'name' | 'columns'>, typeOf = sqlTypeOf): string {
  const lines = columns.map(column => `  ${quoted(column.name)} ${typeOf(column)}`);
  return `CREATE TABLE ${quoted(name)} (\n${lines.join(',\n')}\n)`;
}

/** A name in SQL, which may be a word of SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
