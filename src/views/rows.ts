import type { Decimals } from '../fhir/json.ts';
import { isObject } from '../fhir/json-object.ts';
import { parseStored, readStored } from '../fhir/stored-text.ts';
import type { Questions } from '../fhirpath/delegate/job.ts';
import { Budget } from '../fhirpath/evaluate/environment.ts';
import type { Environment } from '../fhirpath/evaluate/environment.ts';
import { Delegated, EvaluationError, TooCostly, Undecided } from '../fhirpath/evaluate/errors.ts';
import { plain } from '../fhirpath/evaluate/item.ts';
import type { Item } from '../fhirpath/evaluate/item.ts';
import { rootNode } from '../fhirpath/evaluate/node.ts';
import type { Node } from '../fhirpath/evaluate/node.ts';
import { cellOf, digitsOf, printCell } from './cell.ts';
import type { Cell } from './cell.ts';
import { delegated, priceOfJob } from './delegate.ts';
import { RowError } from './row-error.ts';
import type { Cells, Select, View, ViewExpression } from './view.ts';

/** A row: a cell for each column of the view. */
export type ViewRow = readonly Cell[];

/** Limits of one record: visited values, and rows of the view or of a part of it. */
export interface RecordLimits {
  readonly steps: number;
  readonly rows: number;
}

export const recordLimits: RecordLimits = { steps: 2_000_000, rows: 20_000 };

/** A record for views: its value and the digits of its numbers, if they differ from those that `String` prints. */
export interface ViewRecord {
  readonly value: unknown;
  readonly decimals: Decimals | undefined;
}

/**
 * Parses a stored text. Throws TextDamaged. Most records have no number that would lose digits (a zero at its end, an
 * exponent, more than 15 digits) and are read by JSON.parse, which takes a third of the time.
 */
export function readRecord(text: string): ViewRecord {
  if (!mayLoseDigits.test(text)) return { value: parseStored(text), decimals: undefined };
  const { value, decimals } = readStored(text);
  return { value, decimals };
}

const mayLoseDigits = /\.\d*0[,}\]\s]|[:,[]-?(?:\d[\d.]*[eE]|[\d.]{16})/;

/**
 * The rows of one record; undefined while `questions` has open ones for fhirpath.js. Throws RowError for several values
 * of a column, for criteria that are no boolean, and for a record that exceeds the limits.
 * https://sql-on-fhir.org/ig/2.0.0/StructureDefinition-ViewDefinition.html#processing-algorithm
 */
export function rowsOf(
  view: View,
  record: ViewRecord,
  questions: Questions,
  limits: RecordLimits = recordLimits,
): readonly ViewRow[] | undefined {
  const run = new RecordRun(view, record, questions, limits);
  try {
    const rows = run.rows();
    return questions.open.length === 0 ? rows : undefined;
  } catch (error) {
    // What is wrong with values that are not known yet may be right with the answers.
    if (error instanceof RowError && error.code === 'invalid' && questions.open.length > 0) return undefined;
    throw error;
  }
}

class RecordRun {
  readonly #view: View;
  readonly #root: Node;
  readonly #decimals: Decimals | undefined;
  readonly #questions: Questions;
  readonly #limits: RecordLimits;
  readonly #environment: Environment;

  constructor(view: View, { value, decimals }: ViewRecord, questions: Questions, limits: RecordLimits) {
    this.#view = view;
    this.#root = rootNode(value, view.root);
    this.#decimals = decimals;
    this.#questions = questions;
    this.#limits = limits;
    const unknown = (): undefined => undefined;
    this.#environment = {
      types: view.types,
      resource: this.#root,
      rootResource: this.#root,
      context: this.#root,
      budget: new Budget(limits.steps),
      resolve: unknown,
      memberOf: unknown,
      conformsTo: unknown,
      ...(decimals && { digits: (node: Node) => digitsOf(node, decimals) }),
      this: this.#root,
      index: 0,
      total: [],
    };
  }

  rows(): readonly ViewRow[] {
    const { where, selects } = this.#view;
    if (!where.every(one => this.#holds(one))) return [];
    return this.#product(selects.map(select => this.#select(select, this.#root, 0)));
  }

  #holds(criterion: ViewExpression): boolean {
    const found = this.#evaluate(criterion, this.#root, 0);
    const [first, second] = found;
    if (first === undefined) return false;
    const value = second === undefined ? plain(first) : undefined;
    if (typeof value === 'boolean') return value;
    throw new RowError('invalid', `This criterion yields ${several(found.length)}, but must yield one boolean.`, {
      place: criterion.place,
    });
  }

  #select(select: Select, item: Item, rowIndex: number): readonly ViewRow[] {
    const { iteration } = select;
    if (iteration === undefined) return this.#node(select, item, rowIndex);
    const nodes =
      iteration.kind === 'repeat'
        ? this.#repeated(select, item, rowIndex)
        : iteration.paths.flatMap(path => this.#evaluate(path, item, rowIndex));
    if (nodes.length === 0) return iteration.kind === 'forEachOrNull' ? [select.nulls] : [];
    const rows: ViewRow[] = [];
    for (const [index, node] of nodes.entries()) {
      for (const row of this.#node(select, node, index)) rows.push(row);
      this.#count(rows.length);
    }
    return rows;
  }

  /** All nodes that the paths reach, depth first, in the order of the record. */
  #repeated({ iteration }: Select, from: Item, rowIndex: number): readonly Item[] {
    const found: Item[] = [];
    const walk = (item: Item, level: number): void => {
      if (level > deepest) throw tooCostly('`repeat` does not end');
      for (const path of iteration?.paths ?? []) {
        for (const one of this.#evaluate(path, item, rowIndex)) {
          found.push(one);
          this.#count(found.length);
          this.#guard(() => this.#environment.budget.spend(priceOfNode), path.place);
          walk(one, level + 1);
        }
      }
    };
    walk(from, 0);
    return found;
  }

  /** The rows of one node: the product of its own cells, the rows of nested selects, and those of the union. */
  #node({ cells, selects, union }: Select, item: Item, rowIndex: number): readonly ViewRow[] {
    const own = cells.map(one => this.#cell(one, item, rowIndex));
    if (selects.length === 0 && union.length === 0) return [own];
    const parts: (readonly ViewRow[])[] = [[own]];
    for (const select of selects) parts.push(this.#select(select, item, rowIndex));
    if (union.length > 0) parts.push(union.flatMap(branch => this.#select(branch, item, rowIndex)));
    return this.#product(parts);
  }

  #product(parts: readonly (readonly ViewRow[])[]): readonly ViewRow[] {
    let rows: readonly ViewRow[] = [[]];
    this.#count(parts.reduce((product, part) => product * part.length, 1));
    for (const part of parts) {
      if (part.length === 0) return [];
      rows =
        rows.length === 1 && rows[0]?.length === 0 ? part : rows.flatMap(row => part.map(next => [...row, ...next]));
    }
    return rows;
  }

  #count(rows: number): void {
    if (rows > this.#limits.rows) throw tooCostly(`The view makes more than ${this.#limits.rows} rows of one record`);
  }

  #cell({ column, path }: Cells, item: Item, rowIndex: number): Cell {
    const found = this.#evaluate(path, item, rowIndex);
    if (!column.collection) {
      const [first] = found;
      if (first === undefined) return null;
      if (found.length > 1)
        throw new RowError('invalid', `The column \`${column.name}\` has ${several(found.length)} here; ${remedy}`, {
          place: path.place,
        });
      return cellOf(first, this.#decimals) ?? null;
    }
    const cells = found.flatMap(one => cellOf(one, this.#decimals) ?? []);
    return { json: `[${cells.map(printCell).join(',')}]` };
  }

  #evaluate(expression: ViewExpression, item: Item, rowIndex: number): readonly Item[] {
    const environment = this.#environment;
    environment.this = item;
    environment.index = 0;
    environment.total = [];
    this.#view.state.rowIndex = rowIndex;
    return this.#guard(() => {
      const { evaluate } = expression;
      environment.budget.spend(1);
      if (evaluate !== undefined) {
        try {
          return evaluate([item], environment);
        } catch (error) {
          if (!(error instanceof Delegated)) throw error;
        }
      }
      environment.budget.spend(priceOfJob);
      const text = expression.literal(rowIndex);
      return delegated(text, item, this.#root, this.#view.types, this.#questions) ?? [];
    }, expression.place);
  }

  #guard<T>(evaluate: () => T, place: string): T {
    try {
      return evaluate();
    } catch (error) {
      if (error instanceof TooCostly) throw tooCostly('The evaluation of the view on one record takes too long', place);
      if (error instanceof EvaluationError)
        throw new RowError('invalid', `This expression has no value here: ${error.message}.`, { place });
      if (error instanceof Undecided)
        throw new RowError('invalid', `This expression cannot be evaluated: ${error.message} is missing.`, { place });
      throw error;
    }
  }
}

/** A node of `repeat` costs as much as so many visited values. */
const priceOfNode = 20;

/** A record has at most 64 levels. */
const deepest = 200;

const remedy = 'choose one, such as with `first()`, use `forEach`, or set `collection` to true.';

const several = (count: number): string => (count === 1 ? 'one value of another type' : `${count} values`);

const tooCostly = (text: string, place?: string): RowError =>
  new RowError('too-costly', `${text}. Narrow the view by \`where\`, or use fewer iterations.`, { place });

/** True for a value that can be a record. */
export const isRecordOf = (view: View, value: unknown): boolean =>
  isObject(value) && value['resourceType'] === view.resourceType;
