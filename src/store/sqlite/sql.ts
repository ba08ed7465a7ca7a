/** The values of node:sqlite: integers stay below 2^53. */
export type SqlValue = null | number | string;

/** A piece of SQL with the values of its question marks, in the order of the text. */
export class Sql {
  readonly text: string;
  readonly values: readonly SqlValue[];
  constructor(text: string, values: readonly SqlValue[]) {
    this.text = text;
    this.values = values;
  }
}

/** `sql\`p = ${4} AND ${other}\``: values become question marks, pieces of SQL are inserted. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  let text = texts[0] ?? '';
  const values: SqlValue[] = [];
  let at = 0;
  for (const part of parts) {
    if (part instanceof Sql) {
      text += part.text;
      for (const value of part.values) values.push(value);
    } else {
      text += '?';
      values.push(part);
    }
    at += 1;
    text += texts[at] ?? '';
  }
  return new Sql(text, values);
}

/** Names and operators, which are not values. */
export function raw(text: string): Sql {
  return new Sql(text, []);
}

/**
 * `LIMIT` with a number. SQLite plans by the value of a bare parameter and would compile the statement again for each
 * execution, since the parameter is bound again; it does not look into an expression.
 */
export function limit(most: number): Sql {
  return sql`LIMIT ${most} + 0`;
}

/** The pieces with a separator between them. */
export function join(pieces: readonly Sql[], separator: string): Sql {
  let text = '';
  let before = '';
  const values: SqlValue[] = [];
  for (const piece of pieces) {
    text += before + piece.text;
    before = separator;
    for (const value of piece.values) values.push(value);
  }
  return new Sql(text, values);
}

/** The pieces in groups of at most so many. */
export function inGroups<T>(pieces: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(pieces.length / size) }, (_, at) => pieces.slice(at * size, (at + 1) * size));
}

/** All conditions; `1` for none. */
export function allOf(pieces: readonly Sql[]): Sql {
  return pieces.length === 0 ? raw('1') : join(pieces, ' AND ');
}
