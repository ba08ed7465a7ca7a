/** What stands between the parts of a piece of SQL: one text more than it has parts. */
type Between = readonly string[];

/** A step from a place: a piece by its texts, which are one object for each place in the code, or a value. */
type SqlStep = Between | typeof value;

/** The step of a value, whatever it is. */
const value = Symbol('value');

/** Where the steps to a statement lead: most places have one next, which is found without a look-up. */
interface SqlNode {
  by: SqlStep | undefined;
  to: SqlNode | undefined;
  /** The next places by other steps. */
  others: Map<SqlStep, SqlNode> | undefined;
  text: string | undefined;
}

/**
 * The texts of statements by the steps that lead through their pieces: statements that differ in values only have one
 * text, which is made once. All are forgotten once they take some 8 MB.
 */
export class KeptTexts {
  readonly #most: number;
  #first = newPlace();
  #size = 0;

  /** `most`: characters, those of a place included. */
  constructor(most = 4_000_000) {
    this.#most = most;
  }

  get first(): SqlNode {
    return this.#first;
  }

  step(from: SqlNode, by: SqlStep): SqlNode {
    const known = from.by === by ? from.to : from.others?.get(by);
    return known ?? this.#add(from, by);
  }

  #add(from: SqlNode, by: SqlStep): SqlNode {
    const place = newPlace();
    if (from.to === undefined) {
      from.by = by;
      from.to = place;
    } else (from.others ??= new Map()).set(by, place);
    this.#grow(placeSize);
    return place;
  }

  keep(place: SqlNode, text: string): string {
    place.text = text;
    this.#grow(text.length);
    return text;
  }

  #grow(by: number): void {
    this.#size += by;
    if (this.#size <= this.#most) return;
    this.#first = newPlace();
    this.#size = 0;
  }
}

const placeSize = 100;
const newPlace = (): SqlNode => ({ by: undefined, to: undefined, others: undefined, text: undefined });

/** The values of node:sqlite: integers stay below 2^53. */
export type SqlValue = null | number | string;

/** A piece of SQL with the values of its question marks, in the order of the text. */
export class Sql {
  readonly #between: Between;
  readonly #parts: readonly (SqlValue | Sql)[];

  /** `between` must be one object for one place in the code: texts are kept by it. */
  constructor(between: Between, parts: readonly (SqlValue | Sql)[]) {
    this.#between = between;
    this.#parts = parts;
  }

  get text(): string {
    return this.read([]);
  }

  get values(): readonly SqlValue[] {
    const values: SqlValue[] = [];
    this.read(values);
    return values;
  }

  /** Returns the text, and adds the values to `values`. */
  read(values: SqlValue[]): string {
    const place = this.#walk(texts.first, values);
    return place.text ?? texts.keep(place, this.#write());
  }

  #walk(from: SqlNode, values: SqlValue[]): SqlNode {
    let place = texts.step(from, this.#between);
    for (const part of this.#parts) {
      if (part instanceof Sql) place = part.#walk(place, values);
      else {
        place = texts.step(place, value);
        values.push(part);
      }
    }
    return place;
  }

  #write(): string {
    let text = this.#between[0] ?? '';
    let at = 0;
    for (const part of this.#parts) {
      at += 1;
      text += part instanceof Sql ? part.#write() : '?';
      text += this.#between[at] ?? '';
    }
    return text;
  }
}

const texts = new KeptTexts();

/** `sql\`p = ${4} AND ${other}\``: values become question marks, pieces of SQL are inserted. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (SqlValue | Sql)[]): Sql {
  return new Sql(texts, parts);
}

/** Names and operators, which are not values: the code has few of them. */
export function raw(text: string): Sql {
  let known = names.get(text);
  if (known === undefined) names.set(text, (known = new Sql([text], [])));
  return known;
}

const names = new Map<string, Sql>();

/**
 * `LIMIT` with a number. SQLite plans by the value of a bare parameter and would compile the statement again for each
 * execution, since the parameter is bound again; it does not look into an expression.
 */
export function limit(most: number): Sql {
  return sql`LIMIT ${most} + 0`;
}

/** The pieces, or values, with a separator between them. */
export function join(pieces: readonly (SqlValue | Sql)[], separator: string): Sql {
  if (pieces.length > mostInRow)
    return join(
      inGroups(pieces, mostInRow).map(some => join(some, separator)),
      separator,
    );
  let lists = separators.get(separator);
  if (lists === undefined) separators.set(separator, (lists = []));
  return new Sql((lists[pieces.length] ??= betweenOf(pieces.length, separator)), pieces);
}

const mostInRow = 100;
/** The texts between pieces, by separator and number of pieces. */
const separators = new Map<string, Between[]>();

const betweenOf = (pieces: number, separator: string): Between =>
  Array.from({ length: pieces + 1 }, (_, at) => (at === 0 || at === pieces ? '' : separator));

/** The pieces in groups of at most so many. */
export function inGroups<T>(pieces: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(pieces.length / size) }, (_, at) => pieces.slice(at * size, (at + 1) * size));
}

/** All conditions; `1` for none. */
export function allOf(pieces: readonly Sql[]): Sql {
  const [only, another] = pieces;
  if (only === undefined) return raw('1');
  return another === undefined ? only : join(pieces, ' AND ');
}
