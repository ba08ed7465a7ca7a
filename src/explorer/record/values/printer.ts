import type { JsonObject } from '../../../fhir/json-object.ts';
import type { Markup } from '../../../pages/html.ts';
import type { RecordView } from '../view.ts';

/** Prints values of one data type in a line. */
export interface Printer {
  /** The properties that the line has; the others are shown below it. */
  readonly shows: readonly string[];
  /** `place`: the place of the value in the record, such as `photo[0]`. Undefined if there is nothing for the line. */
  readonly print: (value: JsonObject, view: RecordView, place: string) => Markup;
}
