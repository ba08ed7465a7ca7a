import { asObject, asString } from '../../../fhir/json-object.ts';
import type { JsonObject } from '../../../fhir/json-object.ts';
import { decimalText } from '../../../fhir/json.ts';
import { html } from '../../../pages/html.ts';
import type { Printer, RecordView } from '../view.ts';

/** https://hl7.org/fhir/R4/datatypes.html#Quantity and the types that specialize it */
export const quantity: Printer = {
  shows: ['value', 'comparator', 'unit', 'system', 'code'],
  print(value, view) {
    const { unit, code, system } = value;
    const differs = typeof code === 'string' && code !== unit;
    const source = [differs ? code : '', asString(system) ?? ''].filter(Boolean).join(' ');
    return html`${quantityText(value, view)}${source !== '' && html` <small class="system">${source}</small>`}`;
  },
};

/** `≥ 5.40 mmol/L`: the digits as written, and the unit or its code. */
export function quantityText(value: JsonObject, view: Pick<RecordView, 'decimals'>): string {
  const { value: number, unit, code, comparator } = value;
  const digits = typeof number === 'number' ? decimalText(view.decimals, value, 'value', number) : '';
  const sign = comparators[asString(comparator) ?? ''] ?? '';
  return [sign, digits, asString(unit) ?? asString(code) ?? ''].filter(Boolean).join(' ');
}

const comparators: Readonly<Record<string, string>> = { '<': '<', '<=': '≤', '>': '>', '>=': '≥' };

/** https://hl7.org/fhir/R4/datatypes.html#Range */
export const range: Printer = {
  shows: ['low', 'high'],
  print(value, view) {
    const ends = ['low', 'high'].map(end => quantityText(asObject(value[end]), view));
    const [low = '', high = ''] = ends;
    return low === '' ? `≤ ${high}` : high === '' ? `≥ ${low}` : `${low} – ${high}`;
  },
};

/** https://hl7.org/fhir/R4/datatypes.html#Ratio */
export const ratio: Printer = {
  shows: ['numerator', 'denominator'],
  print: (value, view) =>
    ['numerator', 'denominator'].map(part => quantityText(asObject(value[part]), view) || '?').join(' / '),
};

/** https://hl7.org/fhir/R4/datatypes.html#Money */
export const money: Printer = {
  shows: ['value', 'currency'],
  print(value, view) {
    const { value: number, currency } = value;
    const digits = typeof number === 'number' ? decimalText(view.decimals, value, 'value', number) : '';
    return [digits, asString(currency) ?? ''].filter(Boolean).join(' ');
  },
};
