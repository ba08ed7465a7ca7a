import { asString } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { TypeDefinition } from '../../model/element.ts';
import { fiveWsOf } from '../definition/notes.ts';
import { conceptText } from '../record/values/coding.ts';
import { marksOf, recordTitle } from '../record/title.ts';
import type { TitleView } from '../record/title.ts';
import type { RecordView } from '../record/view.ts';
import type { Member } from './members.ts';
import { timeSpanOf } from './time-span.ts';
import type { TimeSpan } from './time-span.ts';

/** A record of a patient, as an event. */
export interface PatientEvent {
  /** `Encounter/e1`. */
  readonly target: string;
  readonly title: string;
  /** The code or text of its state; undefined if the record or its type has none. */
  readonly status: string | undefined;
  /** The texts that say that it is not a current one. */
  readonly marks: readonly string[];
  /** Undefined without a date. */
  readonly when: TimeSpan | undefined;
}

/** The event of a record; undefined for one without id. `zone`: IANA name. */
export function eventOf(
  resource: JsonObject,
  { type, date }: Member,
  view: TitleView & Pick<RecordView, 'language'>,
  zone: string,
): PatientEvent | undefined {
  const id = asString(resource['id']);
  if (id === undefined) return undefined;
  const target = `${type.name}/${id}`;
  return {
    target,
    title: recordTitle(resource, view) ?? target,
    marks: marksOf(resource, view),
    status: statusOf(resource, type.definition, view),
    when: timeSpanOf(resource, { type: type.definition, param: date }, view.model.definitions, zone),
  };
}

/** The first element that the definition calls the status. https://hl7.org/fhir/R4/fivews.html */
function statusOf(resource: JsonObject, definition: TypeDefinition, view: TitleView): string | undefined {
  for (const { name, types } of fiveWsOf(definition, 'status')) {
    const value = resource[name];
    if (value === undefined) continue;
    const [type] = types;
    if (type?.code === 'CodeableConcept') return conceptText(value, view);
    if (typeof value === 'string') return value;
  }
  return undefined;
}
