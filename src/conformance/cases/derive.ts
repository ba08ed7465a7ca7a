import type { SearchParam } from '../../model/model.ts';
import { caseOf } from './case.ts';
import type { Case } from './case.ts';
import { chosen } from './chosen.ts';
import { compositeCases } from './composite.ts';
import { dateCases } from './date.ts';
import { numberCases, quantityCases } from './number.ts';
import { referenceCases } from './reference.ts';
import { absentOf } from './source.ts';
import type { Source } from './source.ts';
import { stringCases } from './string.ts';
import { tokenCases } from './token.ts';
import { uriCases } from './uri.ts';

/**
 * The searches by one parameter: its values in the sample in every form, modifier and prefix, and a value that no
 * record has. Empty for a parameter whose meaning this tester does not evaluate.
 */
export function deriveCases(source: Source): readonly Case[] {
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

const byType: Readonly<Record<Exclude<SearchParam['type'], 'special'>, (source: Source) => readonly Case[]>> = {
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
