import type { QueryPair } from '../../search/request.ts';
import { caseOf } from '../cases/case.ts';
import type { Case } from '../cases/case.ts';
import { deriveCases } from '../cases/derive.ts';
import { absentOf } from '../cases/source.ts';
import type { TestContext } from '../context.ts';
import type { DeclaredType } from '../statement.ts';
import { runCase } from './case.ts';

/**
 * `_filter` of a type that declares it: comparisons that mean what a search parameter means, alone, negated, and two of
 * them with `and`. https://hl7.org/fhir/R4/search_filter.html
 */
export async function checkFilters(context: TestContext, type: DeclaredType): Promise<void> {
  if (!type.hasFilter) return;
  const found = comparisons(context, type);
  for (const { text, as } of found)
    await runCase(
      context,
      type.name,
      filterCase(
        text,
        as.map(pair => [pair]),
      ),
    );
  const [first] = found;
  const second = found.find(({ code }) => code !== first?.code);
  if (first === undefined || second === undefined) return;
  const both = first.as.flatMap(one => second.as.map(other => [one, other]));
  await runCase(context, type.name, filterCase(`${first.text} and ${second.text}`, both));
}

interface Comparison {
  readonly code: string;
  /** `gender eq female`. */
  readonly text: string;
  /** The searches with the meanings that it may have; usually one. */
  readonly as: readonly QueryPair[];
}

/** A comparison by each token, date and string that the sample has. */
function comparisons(
  { records, client, model, sample }: TestContext,
  { name, parameters }: DeclaredType,
): readonly Comparison[] {
  const known = model.types.get(name)?.parameters;
  return parameters.flatMap(declared => {
    const param = known?.get(declared.name);
    if (param === undefined || param.code.startsWith('_')) return [];
    const [one] = deriveCases({ param, sample: sample.get(name) ?? [], records, base: client.base, depth: 1 });
    const value = one?.pairs[0]?.[1];
    if (one === undefined || value === undefined || one.check !== `search.${param.type}` || value === absentOf(param))
      return [];
    return comparisonsOf(param.type, param.code, value);
  });
}

function comparisonsOf(type: string, code: string, value: string): readonly Comparison[] {
  switch (type) {
    case 'token':
      return /^[\w.-]+$/.test(value)
        ? [
            { code, text: `${code} eq ${value}`, as: [[code, value]] },
            { code, text: `not (${code} eq ${value})`, as: [[`${code}:not`, value]] },
          ]
        : [];
    case 'string':
      return /^[\p{L}\p{N} ]+$/u.test(value) ? [{ code, text: `${code} sw "${value}"`, as: [[code, value]] }] : [];
    case 'date':
      // Records from the same day on are found by a prefix too (cases/prefix.ts).
      return /^\d{4}(-\d\d){0,2}$/.test(value)
        ? [{ code, text: `${code} ge ${value}`, as: [`ge${value}`, `gt${value},${value}`].map(one => [code, one]) }]
        : [];
    default:
      return [];
  }
}

const filterCase = (text: string, alternatives: Case['alternatives']): Case => ({
  ...caseOf('search.filter', '_filter', text),
  alternatives,
});
