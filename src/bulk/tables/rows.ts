import { setImmediate } from 'node:timers/promises';
import { fhirError } from '../../fhir/error.ts';
import type { FhirError } from '../../fhir/error.ts';
import { readRows } from '../../views/read-rows.ts';
import { RowError } from '../../views/row-error.ts';
import type { ViewRecord, ViewRow } from '../../views/rows.ts';
import type { RowWriter } from '../../views/formats.ts';
import type { View } from '../../views/view.ts';
import type { TablePart } from './format.ts';

/** A record with the name that errors give it. */
export interface NamedRecord {
  readonly name: string;
  readonly record: ViewRecord;
}

/** How long a run works until others have their turn, in milliseconds. */
const turn = 4;

/** Characters of a part: rows are sent together. */
const partLength = 64 * 1024;

/** The time that a run works, without that in which it waits for its client. */
export class RunClock {
  readonly #deadline: number;
  #since = performance.now();
  #worked = 0;
  #turned = this.#since;

  /** `deadline` in milliseconds. */
  constructor(deadline: number) {
    this.#deadline = deadline;
  }

  /** What is left, in milliseconds. Throws FhirError 403 if nothing is. */
  left(): number {
    const left = this.#deadline - this.#worked - (performance.now() - this.#since);
    if (left > 0) return left;
    const text = 'The run takes too long. Narrow it by `patient`, `_since` or `where`, or start `$sql-export`.';
    throw fhirError(403, 'too-costly', text);
  }

  /** Lets other requests have their turn, if it is time. */
  rest(): Promise<void> | undefined {
    this.left();
    return performance.now() - this.#turned < turn ? undefined : this.#turn();
  }

  async #turn(): Promise<void> {
    await setImmediate();
    this.#turned = performance.now();
  }

  pause(): void {
    this.#worked += performance.now() - this.#since;
  }

  resume(): void {
    this.#since = performance.now();
    this.#turned = this.#since;
  }
}

/** How rows are made. */
export interface RowOptions {
  /** The time of the run: an instant in UTC. */
  readonly now: string;
  /** The most rows. */
  readonly limit: number;
  readonly clock: RunClock;
}

/**
 * The table of a view over records, in parts. Throws FhirError 422 for a record that the view does not fit, and 403
 * `too-costly` beyond the limits of a record or of the time.
 */
export async function* printTable(
  view: View,
  pages: AsyncIterable<Iterable<NamedRecord>>,
  writer: RowWriter,
  { now, limit, clock }: RowOptions,
): AsyncIterable<TablePart> {
  let text = '';
  let count = 0;
  /** What is to be sent, once there is enough of it. */
  const print = (part: TablePart): TablePart | undefined => {
    if (typeof part !== 'string') return part;
    text += part;
    if (text.length < partLength) return undefined;
    const whole = text;
    text = '';
    return whole;
  };
  const isFull = (): boolean => count >= limit;
  const begin = print(writer.begin());
  if (begin !== undefined) yield begin;
  for await (const page of isFull() ? none : pages) {
    for (const { name, record } of page) {
      const turned = clock.rest();
      if (turned !== undefined) await turned;
      const made = rowsOfRecord(view, name, record, now);
      const rows = made instanceof Promise ? await made : made;
      const fitting = rows.length > limit - count ? rows.slice(0, limit - count) : rows;
      count += fitting.length;
      const part = print(writer.rows(fitting));
      if (part !== undefined) {
        clock.pause();
        yield part;
        clock.resume();
      }
      if (isFull()) break;
    }
    if (isFull()) break;
  }
  if (text !== '') yield text;
  yield writer.end();
}

const none: AsyncIterable<Iterable<NamedRecord>> = (async function* () {})();

/** The rows of a record. Throws FhirError 422 if the view does not fit it, 403 beyond the limits. */
export function rowsOfRecord(
  view: View,
  name: string,
  record: ViewRecord,
  now: string,
): readonly ViewRow[] | Promise<readonly ViewRow[]> {
  const refused = (error: unknown): never => {
    throw error instanceof RowError ? refusalOf(error, name) : error;
  };
  try {
    const made = readRows(view, record, now);
    return made instanceof Promise ? made.catch(refused) : made;
  } catch (error) {
    return refused(error);
  }
}

/** A record that a view does not fit: its id and the place in the view, without values. */
const refusalOf = ({ code, message, place }: RowError, name: string): FhirError =>
  fhirError(code === 'invalid' ? 422 : 403, code, `${name}: ${message}`, place);
