import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../fhir/json-object.ts';
import { shorten } from '../report.ts';
import type { ProfileSource } from './source.ts';
import { valueOf } from './tree.ts';
import type { Tree } from './tree.ts';
import type { ValueCheck } from './walk.ts';

/**
 * `fixed[x]`: the value must equal this.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.fixed_x_
 */
export function compileFixed({ element }: Tree, source: ProfileSource): ValueCheck | undefined {
  const fixed = valueOf(element, 'fixed');
  if (fixed === undefined) return undefined;
  const text = `This must be \`${shorten(JSON.stringify(fixed))}\` (profile ${source.url}).`;
  const rule = `${source.id(element)} fixed`;
  return ({ value }, { findings }) => {
    if (!isSame(value, fixed)) findings.add({ severity: 'error', code: 'value', text, profile: source.url, rule });
  };
}

/**
 * `pattern[x]`: the value must contain this.
 * https://hl7.org/fhir/R4/elementdefinition-definitions.html#ElementDefinition.pattern_x_
 */
export function compilePattern({ element }: Tree, source: ProfileSource): ValueCheck | undefined {
  const pattern = valueOf(element, 'pattern');
  if (pattern === undefined) return undefined;
  const text = `This must contain \`${shorten(JSON.stringify(pattern))}\` (profile ${source.url}).`;
  const rule = `${source.id(element)} pattern`;
  return ({ value }, { findings, budget }) => {
    if (!holds(value, pattern, cost => budget.spend(cost)))
      findings.add({ severity: 'error', code: 'value', text, profile: source.url, rule });
  };
}

export const isSame = (value: unknown, fixed: unknown): boolean =>
  typeof fixed === 'object' ? isDeepStrictEqual(value, fixed) : value === fixed;

/** True if a value contains a pattern; each item of the pattern's arrays anywhere in the value's. */
export function holds(value: unknown, pattern: unknown, spend: (cost: number) => void): boolean {
  if (Array.isArray(pattern)) {
    if (!Array.isArray(value)) return false;
    spend(value.length * pattern.length);
    return pattern.every(wanted => value.some(item => holds(item, wanted, spend)));
  }
  if (!isObject(pattern)) return value === pattern;
  return isObject(value) && Object.keys(pattern).every(name => holds(value[name], pattern[name], spend));
}
