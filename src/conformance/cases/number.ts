import { asObject, asString } from '../../fhir/json-object.ts';
import { escape } from '../../search/parse/escape.ts';
import type { RawValue } from '../records.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { Source } from './source.ts';
import { prefixCases } from './prefix.ts';

/** Numbers as written, and with each prefix. */
export function numberCases({ param, sample, records, depth }: Source): readonly Case[] {
  const values = sample.flatMap(({ resource }) => records.valuesOf(param, resource));
  const numbers = values.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  return chosen(numbers, depth).flatMap(number => [
    caseOf('search.number', param.code, String(number)),
    ...prefixCases(param.code, String(number)),
  ]);
}

/** Quantities without and with their units. A server may convert units: it then finds more. */
export function quantityCases({ param, sample, records, depth }: Source): readonly Case[] {
  const { code: name } = param;
  const values = sample.flatMap(({ resource }) => records.valuesOf(param, resource)).filter(isPlain);
  return chosen(values, depth).flatMap(({ value }) => {
    const { value: number, system, code, unit } = asObject(value);
    const shown = String(number);
    const named = asString(code) ?? asString(unit);
    const cases = [caseOf('search.quantity', name, shown)];
    if (named === undefined) return [...cases, ...prefixCases(name, shown)];
    const unitText = escape(named);
    cases.push(caseOf('search.quantity', name, `${shown}||${unitText}`, { optional: true }));
    if (typeof system !== 'string' || typeof code !== 'string') return [...cases, ...prefixCases(name, shown)];
    const full = `${shown}|${escape(system)}|${unitText}`;
    const either = (text: string): string[] => [text, text.replace(`|${escape(system)}|`, '||')];
    return [...cases, caseOf('search.quantity', name, full, { as: either(full) }), ...prefixCases(name, full, either)];
  });
}

/** A Money has its unit elsewhere, a Range has two values; a comparator makes the value an interval. */
const isPlain = ({ type, value }: RawValue): boolean =>
  type !== 'Money' && typeof asObject(value)['value'] === 'number' && asObject(value)['comparator'] === undefined;
