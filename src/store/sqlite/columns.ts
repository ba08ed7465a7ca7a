import { raw, type Sql } from './sql.ts';

/** The tables of entries, with the index that has them by resource, and their columns, under one name. */
export interface Columns {
  readonly table: Readonly<Record<'terms' | 'prefix' | 'string' | 'range', Sql>>;
  readonly p: Sql;
  readonly id: Sql;
  readonly ord: Sql;
  readonly item: Sql;
  readonly v: Sql;
  readonly folded: Sql;
  readonly text: Sql;
  readonly k: Sql;
  readonly low: Sql;
  readonly high: Sql;
}

/** Each is made once; there are as many names as a composite has components. */
const known = new Map<string, Columns>();

export function columnsOf(name: string): Columns {
  let columns = known.get(name);
  if (columns === undefined) known.set(name, (columns = make(name)));
  return columns;
}

function make(name: string): Columns {
  const terms = raw(`terms ${name}`);
  return {
    table: {
      terms,
      prefix: terms,
      string: raw(`strings ${name} INDEXED BY strings_id`),
      range: raw(`ranges ${name} INDEXED BY ranges_id`),
    },
    p: raw(`${name}.p`),
    id: raw(`${name}.id`),
    ord: raw(`${name}.ord`),
    item: raw(`${name}.item`),
    v: raw(`${name}.v`),
    folded: raw(`${name}.folded`),
    text: raw(`${name}.text`),
    k: raw(`${name}.k`),
    low: raw(`${name}.low`),
    high: raw(`${name}.high`),
  };
}
