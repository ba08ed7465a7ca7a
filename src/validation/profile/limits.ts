import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { jsonItem } from '../../fhirpath/evaluate/item.ts';
import { orderIfSimple } from '../../fhirpath/evaluate/operators.ts';
import { shorten } from '../report.ts';
import { convertUnit, ucumSystem } from '../../fhir/ucum.ts';
import type { ProfileSource } from './source.ts';
import { valueOf } from './tree.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/** Whether a Quantity has a number and a UCUM unit, so that it can be compared across units. */
const isMeasured = ({ value, system, code }: JsonObject): boolean =>
  typeof value === 'number' && system === ucumSystem && typeof code === 'string';

/**
 * Negative if a measured Quantity is less than another one, positive if it is more, whatever their units; undefined if
 * the units are not comparable. `spend` receives the cost of parsing the units.
 * https://hl7.org/fhir/R4/datatypes.html#Quantity
 */
function compareQuantities(a: JsonObject, b: JsonObject, spend: (cost: number) => void): number | undefined {
  const [from, to] = [String(a['code']), String(b['code'])];
  if (from !== to) spend(from.length * from.length);
  const value = convertUnit(Number(a['value']), from, to);
  if (value === undefined) return undefined;
  const other = Number(b['value']);
  // Conversion rounds: 5 10*3/uL are 4.999999999999999 10*9/L.
  const isEqual = from !== to && Math.abs(value - other) <= 1e-9 * Math.max(Math.abs(value), Math.abs(other));
  return isEqual ? 0 : value - other;
}

/**
 * `maxLength`, in characters. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.maxLength
 */
export function compileLength(
  { element }: Tree,
  base: Tree | undefined,
  source: ProfileSource,
): ValueCheck | undefined {
  const { maxLength } = element;
  if (typeof maxLength !== 'number' || base?.element['maxLength'] === maxLength) return undefined;
  const rule = `${source.id(element)} maxLength`;
  return ({ value }, { findings }) => {
    // A character may take two units of a JavaScript string, so the length of a short text need not be counted.
    if (typeof value !== 'string' || value.length <= maxLength) return;
    if (value.length <= 2 * maxLength && Array.from(value).length <= maxLength) return;
    const text = `This exceeds ${maxLength} characters (profile ${source.url}).`;
    findings.add({ severity: 'error', code: 'too-long', text, profile: source.url, rule });
  };
}

/**
 * `minValue[x]` and `maxValue[x]`.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.minValue_x_
 */
export function compileRange(
  { element }: Tree,
  base: Tree | undefined,
  source: ProfileSource,
  kind: 'minValue' | 'maxValue',
): ValueCheck | undefined {
  const limit = valueOf(element, kind);
  if (limit === undefined || JSON.stringify(limit) === JSON.stringify(base && valueOf(base.element, kind)))
    return undefined;
  const bound = jsonItem(limit);
  const quantity = isObject(limit) ? limit : undefined;
  const rule = `${source.id(element)} ${kind}`;
  const word = kind === 'minValue' ? 'least' : 'most';
  const text = `This must be \`${shorten(JSON.stringify(limit))}\` at ${word} (profile ${source.url}).`;
  return (node, { findings, budget }) => {
    const sign =
      bound === undefined || node.value === undefined
        ? undefined
        : quantity !== undefined && isObject(node.value) && isMeasured(node.value) && isMeasured(quantity)
          ? compareQuantities(node.value, quantity, cost => budget.spend(cost))
          : quantity !== undefined && isObject(node.value)
            ? inSameUnit(node.value, quantity)
            : orderIfSimple(node, bound);
    if (sign === undefined || (kind === 'minValue' ? sign >= 0 : sign <= 0)) return;
    findings.add({ severity: 'error', code: 'value', text, profile: source.url, rule });
  };
}

/** If one of two Quantities has no code, they have the same unit if their unit texts are equal. */
function inSameUnit(one: JsonObject, other: JsonObject): number | undefined {
  const [value, limit] = [one['value'], other['value']];
  if (typeof value !== 'number' || typeof limit !== 'number') return undefined;
  const unitOf = ({ code, unit }: JsonObject): unknown => code ?? unit ?? '1';
  return unitOf(one) === unitOf(other) ? value - limit : undefined;
}
