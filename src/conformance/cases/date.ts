import { asObject, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { RawValue } from '../records.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import type { Source } from './source.ts';
import { prefixCases } from './prefix.ts';

/** Days and times as written, in less precision, and with each prefix. */
export function dateCases({ param, sample, records, depth }: Source): readonly Case[] {
  const { code } = param;
  const raw =
    code === '_lastUpdated'
      ? sample.map(({ resource }): RawValue => ({ type: 'instant', value: asObject(resource['meta'])['lastUpdated'] }))
      : sample.flatMap(({ resource }) => records.valuesOf(param, resource));
  const texts = raw.flatMap(textsIn).filter(text => /^\d{4}(-\d\d(-\d\d(T\S+(Z|[+-]\d\d:\d\d))?)?)?$/.test(text));
  return chosen(texts, depth).flatMap(text => {
    // The standard does not say how finely a server compares what is finer than a second.
    const isFine = /\.\d/.test(text);
    const shorter = [10, 7, 4].filter(length => length < text.length).map(length => text.slice(0, length));
    return [
      ...(isFine ? [] : [caseOf('search.date', code, text), ...prefixCases(code, text)]),
      ...shorter.slice(0, 2).map(one => caseOf('search.date', code, one)),
      ...(isFine ? prefixCases(code, text.slice(0, 10)) : []),
      ...shorter.slice(0, 1).flatMap(one => (isFine ? [] : prefixCases(code, one).slice(0, 4))),
    ];
  });
}

/** The texts of times in a value. */
function textsIn({ type, value }: RawValue): readonly string[] {
  if (typeof value === 'string') return [value];
  const { start, end, event, repeat } = asObject(value);
  if (type === 'Period') return [start, end].filter(text => typeof text === 'string');
  const bounds = objectsOf([asObject(asObject(repeat)['boundsPeriod'])]).map(period => period['start']);
  return [...stringsOf(event), ...bounds].filter(text => typeof text === 'string');
}
