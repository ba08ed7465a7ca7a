import { asString, isObject } from '../../definitions/json-object.ts';
import { order } from './fhirpath/operators.ts';
import type { Item } from './fhirpath/item.ts';
import { shorten } from '../report.ts';
import { compareQuantities, isMeasured } from './quantity.ts';
import type { Source } from './source.ts';
import { valueOf } from './tree.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/** `maxLength`, in characters. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.maxLength */
export function compileLength({ element }: Tree, base: Tree | undefined, source: Source): ValueCheck | undefined {
  const { maxLength } = element;
  if (typeof maxLength !== 'number' || base?.element['maxLength'] === maxLength) return undefined;
  const rule = `${source.id(element)} maxLength`;
  return ({ value }, { findings }) => {
    // A character may take two units of a JavaScript string, so a text of twice the length is long without being counted.
    if (typeof value !== 'string' || value.length <= maxLength) return;
    if (value.length <= 2 * maxLength && Array.from(value).length <= maxLength) return;
    const text = `This must have ${maxLength} characters at most, and has more; ${source.url} says so.`;
    findings.add({ severity: 'error', code: 'too-long', text, profile: source.url, rule });
  };
}

/** `minValue[x]` and `maxValue[x]`. https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.minValue_x_ */
export function compileRange(
  { element }: Tree,
  base: Tree | undefined,
  source: Source,
  kind: 'minValue' | 'maxValue',
): ValueCheck | undefined {
  const limit = valueOf(element, kind);
  if (limit === undefined || JSON.stringify(limit) === JSON.stringify(base && valueOf(base.element, kind)))
    return undefined;
  const bound = itemOf(limit);
  const quantity = isObject(limit) ? limit : undefined;
  const rule = `${source.id(element)} ${kind}`;
  const word = kind === 'minValue' ? 'least' : 'most';
  const text = `This must be \`${shorten(JSON.stringify(limit))}\` at ${word}; ${source.url} says so.`;
  return (node, { findings, budget }) => {
    const sign =
      bound === undefined || node.value === undefined
        ? undefined
        : quantity !== undefined && isObject(node.value) && isMeasured(node.value) && isMeasured(quantity)
          ? compareQuantities(node.value, quantity, cost => budget.spend(cost))
          : order([node], [bound]);
    if (sign === undefined || (kind === 'minValue' ? sign >= 0 : sign <= 0)) return;
    findings.add({ severity: 'error', code: 'value', text, profile: source.url, rule });
  };
}

/** A limit as FHIRPath compares it. */
function itemOf(limit: unknown): Item | undefined {
  if (typeof limit === 'string') return { kind: 'temporal', text: limit };
  if (typeof limit === 'number') return limit;
  if (typeof limit !== 'object' || limit === null || !('value' in limit)) return undefined;
  const { value, code, unit } = limit as { value: unknown; code?: unknown; unit?: unknown }; // a Quantity
  return typeof value === 'number'
    ? { kind: 'quantity', value, unit: asString(code) ?? asString(unit) ?? '1' }
    : undefined;
}
