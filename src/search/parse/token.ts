import { foldCode, phoneDigits } from '../../indexing/normalize.ts';
import type { Test } from '../ast.ts';
import { split, unescape } from './escape.ts';
import { malformed, type Value, type ValueParser } from './value.ts';

/**
 * `code`, `system|code`, `|code` (no system) and `system|` (any code of it). Elements without systems accept no system,
 * and booleans are `true` or `false`. Telephone numbers match by their digits as well as by their text.
 * https://hl7.org/fhir/R4/search.html#token
 */
export const parseToken: ValueParser = value => {
  const [first = '', second, ...more] = split(value.text, '|');
  if (more.length > 0) throw malformed(value, 'write a `|` inside of a code or system as `\\|`');
  if (second === undefined) return tokens(value, unescape(first));
  if (first === '' && second === '') throw malformed(value, 'give a code, a system, or both, as `system|code`');
  if (only(value, withoutSystem)) {
    if (first === '') return tokens(value, unescape(second)); // no value of it has a system
    throw malformed(value, 'it has no system: write a `|` in the value as `\\|`');
  }
  const code = second === '' ? {} : { code: unescape(second) };
  return [{ kind: 'token', system: first === '' ? null : unescape(first), ...code }];
};

function tokens(value: Value, code: string): readonly Test[] {
  if (only(value, booleans) && code !== 'true' && code !== 'false') {
    throw malformed(value, 'write `true` or `false`');
  }
  const digits = value.param.dataTypes.has('ContactPoint') ? phoneDigits(code) : undefined;
  const text: Test = { kind: 'token', code };
  return digits === undefined || digits === foldCode(code) ? [text] : [{ kind: 'token', code: digits }, text];
}

const booleans = new Set(['boolean']);
const withoutSystem = new Set(['boolean', 'ContactPoint', 'uri', 'url', 'canonical', 'oid', 'uuid']);

/** True if all elements of the parameter have these types. */
function only({ param: { dataTypes } }: Value, types: ReadonlySet<string>): boolean {
  return dataTypes.size > 0 && [...dataTypes].every(type => types.has(type));
}
