import { codeableConcept, coding } from './coding.ts';
import { annotation, attachment, period, reference } from './other.ts';
import { address, contactPoint, humanName, identifier } from './person.ts';
import type { Printer } from '../view.ts';
import { money, quantity, range, ratio } from './quantity.ts';

/**
 * The printers of data types, by FHIR type code; values of other types are shown element by element.
 * https://hl7.org/fhir/R4/datatypes.html
 */
export const printers: ReadonlyMap<string, Printer> = new Map([
  ['Address', address],
  ['Age', quantity],
  ['Annotation', annotation],
  ['Attachment', attachment],
  ['CodeableConcept', codeableConcept],
  ['Coding', coding],
  ['ContactPoint', contactPoint],
  ['Count', quantity],
  ['Distance', quantity],
  ['Duration', quantity],
  ['HumanName', humanName],
  ['Identifier', identifier],
  ['Money', money],
  ['Period', period],
  ['Quantity', quantity],
  ['Range', range],
  ['Ratio', ratio],
  ['Reference', reference],
]);
