import type { SearchParam } from '../../model/model.ts';
import { escape } from '../../search/parse/escape.ts';
import { withoutCaseAndAccents } from '../readings.ts';
import { asObject, asString, objectsOf, stringsOf } from '../../fhir/json-object.ts';
import type { RawValue } from '../records.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import { compositeCases } from './composite.ts';
import { referenceCases } from './reference.ts';
import { absentOf } from './source.ts';
import type { CaseSource } from './source.ts';
import { tokenCases } from './token.ts';
import { prefixCases } from './prefix.ts';

/**
 * The searches by one parameter: its values in the sample in every form, modifier and prefix, and a value that no
 * record has. Empty for a parameter whose meaning this tester does not evaluate.
 */
export function deriveCases(source: CaseSource): readonly Case[] {
  const { param } = source;
  if (param.reads !== undefined || param.type === 'special') return [];
  const own = byType[param.type](source);
  const absent = absentOf(param);
  return [
    ...own,
    ...alternativesOf(byType[param.type]({ ...source, depth: 2 })),
    ...(absent === undefined ? [] : [caseOf(`search.${param.type}`, param.code, absent, { optional: own.length > 0 })]),
    ...(param.type === 'composite' || own.length === 0 ? [] : missingCases(param)),
  ];
}

const byType: Readonly<Record<Exclude<SearchParam['type'], 'special'>, (source: CaseSource) => readonly Case[]>> = {
  string: stringCases,
  token: tokenCases,
  reference: referenceCases,
  date: dateCases,
  number: numberCases,
  quantity: quantityCases,
  uri: uriCases,
  composite: compositeCases,
};

/** `_id` and `_lastUpdated` are never missing. */
const missingCases = ({ code }: SearchParam): readonly Case[] =>
  code === '_id' || code === '_lastUpdated'
    ? []
    : ['true', 'false'].map(value => caseOf('modifier.missing', `${code}:missing`, value, { optional: true }));

/** Two values of the sample with a comma. */
function alternativesOf(cases: readonly Case[]): readonly Case[] {
  const plain = cases.filter(({ check, pairs, alternatives }) => {
    const [name = '', value = ''] = pairs[0] ?? [];
    return check.startsWith('search.') && !name.includes(':') && alternatives.length === 1 && value !== '';
  });
  const [first, ...others] = chosen(
    plain.map(({ pairs }) => pairs[0]?.[1] ?? ''),
    plain.length,
  );
  const [last] = others;
  const name = plain[0]?.pairs[0]?.[0];
  if (first === undefined || last === undefined || name === undefined) return [];
  return [caseOf('search.or', name, `${first},${last}`, { optional: true })];
}

/** URIs as written, below the one above, and above one below. */
function uriCases({ param: { code }, sample, depth }: CaseSource): readonly Case[] {
  const uris = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(({ param, value }) =>
      param === code && value.kind === 'uri' ? [value.uri] : [],
    ),
  );
  return chosen(uris, depth).flatMap(uri => {
    const parent = /^(https?:\/\/[^/]+\/.+)\/[^/]+$/.exec(uri)?.[1];
    const allowed = { optional: true };
    return [
      caseOf('search.uri', code, escape(uri)),
      ...(parent === undefined
        ? []
        : [
            caseOf('modifier.below', `${code}:below`, escape(parent), allowed),
            caseOf('modifier.above', `${code}:above`, `${escape(uri)}/x`, allowed),
          ]),
    ];
  });
}

/** Words of the texts: in another case, without accents, whole, and in part. */
function stringCases({ param: { code }, sample, depth }: CaseSource): readonly Case[] {
  const texts = sample.flatMap(({ indexed }) =>
    (indexed[0]?.entries ?? []).flatMap(({ param, value }) =>
      param === code && value.kind === 'string' && /^[\p{L}\p{N}]{2}/u.test(value.text) ? [value.text] : [],
    ),
  );
  return chosen(texts, depth).flatMap(text => {
    const word = /^[\p{L}\p{N}\p{M}]+/u.exec(text)?.[0] ?? text;
    const start = word.slice(0, Math.max(2, Math.ceil(word.length / 2)));
    const part = word.slice(1);
    const shown = text.length > 200 ? [] : [text];
    return [
      caseOf('search.string', code, word),
      caseOf('search.string', code, start.toUpperCase()),
      caseOf('search.string', code, withoutCaseAndAccents(start)),
      ...shown.map(one => caseOf('modifier.exact', `${code}:exact`, escape(one), { optional: true })),
      caseOf('modifier.exact', `${code}:exact`, start, { optional: true }),
      ...(part.length < 2 ? [] : [caseOf('modifier.contains', `${code}:contains`, part, { optional: true })]),
    ];
  });
}

/** Days and times as written, in less precision, and with each prefix. */
function dateCases({ param, sample, records, depth }: CaseSource): readonly Case[] {
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

/** Numbers as written, and with each prefix. */
function numberCases({ param, sample, records, depth }: CaseSource): readonly Case[] {
  const values = sample.flatMap(({ resource }) => records.valuesOf(param, resource));
  const numbers = values.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
  return chosen(numbers, depth).flatMap(number => [
    caseOf('search.number', param.code, String(number)),
    ...prefixCases(param.code, String(number)),
  ]);
}

/** Quantities without and with their units. A server may convert units: it then finds more. */
function quantityCases({ param, sample, records, depth }: CaseSource): readonly Case[] {
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
