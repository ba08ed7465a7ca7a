import { canonicalUnit } from '../../fhir/canonical-unit.ts';
import { split, unescape } from './escape.ts';
import { parseNumberBounds } from './number.ts';
import { malformed, type ValueParser } from './value.ts';

/**
 * `[prefix]number`, `[prefix]number|system|code` or `[prefix]number||unit`, where the unit is the code or the unit's
 * text. A UCUM unit finds quantities in all units of its kind. https://hl7.org/fhir/R4/search.html#quantity
 */
export const parseQuantity: ValueParser = value => {
  const [number = '', system = '', unit = '', ...more] = split(value.text, '|');
  const bars = split(value.text, '|').length - 1;
  if (bars === 1 || more.length > 0) {
    throw malformed(value, 'a quantity is written `5.4`, `5.4|http://unitsofmeasure.org|mg` or `5.4||mg`');
  }
  const base = canonicalUnit(unescape(system), unescape(unit));
  if (base !== undefined) {
    return parseNumberBounds(value, number).map(bounds => ({
      kind: 'quantity',
      bounds: bounds.map(bound => ({ ...bound, value: base.convert(bound.value) })),
      canonical: base.unit,
    }));
  }
  return parseNumberBounds(value, number).map(bounds => ({
    kind: 'quantity',
    bounds,
    ...(system === '' ? {} : { system: unescape(system) }),
    ...(unit === '' ? {} : { unit: unescape(unit) }),
  }));
};
