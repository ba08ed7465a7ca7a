import { badValue } from '../../../fhir/error.ts';
import type { ResourceType } from '../../../model/model.ts';
import type { Query } from '../../ast.ts';
import { unknownParameter } from '../errors.ts';
import { parseJoin, type WrittenJoin } from '../join.ts';
import { compare } from './compare.ts';
import { parseTree, type Comparison, type Filter, type FilterStep } from './tree.ts';

/**
 * Parses `_filter`: comparisons of the parameters of the type, and of referenced resources, joined by `and`, `or` and
 * `not`. Throws FhirError 400. https://hl7.org/fhir/R4/search_filter.html
 */
export function parseFilter(type: ResourceType, written: WrittenJoin): Query {
  return queryOf(parseTree(written.text), type, written);
}

function queryOf(filter: Filter, type: ResourceType, written: WrittenJoin): Query {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, of: filter.of.map(part => queryOf(part, type, written)) };
    case 'not':
      return { kind: 'not', of: queryOf(filter.of, type, written) };
    case 'comparison':
      return along(filter.path, filter, type, written);
    default:
      return filter satisfies never;
  }
}

/** The query of a comparison after the steps of a path, each a chain or `_has`. */
function along(path: readonly FilterStep[], filter: Comparison, type: ResourceType, written: WrittenJoin): Query {
  const [step, next, ...rest] = path;
  if (step === undefined) return { kind: 'all' };
  if (step.name.startsWith('_has:'))
    return reverse(step, next === undefined ? [] : [next, ...rest], filter, type, written);
  if (next === undefined) {
    const param = type.parameters.get(step.name);
    if (param === undefined) throw unknownParameter(type, step.name, '_filter');
    return compare(param, filter.operator, filter.value, written.context);
  }
  return joined(type, `${step.name}.${next.name}`, written, (target, inner) => {
    const found = along([next, ...rest], filter, target, inner);
    return step.where === undefined ? found : { kind: 'and', of: [queryOf(step.where, target, inner), found] };
  });
}

/** `_has:Type:reference:code`, where the code may be the begin of a path. */
function reverse(
  { name, where }: FilterStep,
  rest: readonly FilterStep[],
  filter: Comparison,
  type: ResourceType,
  written: WrittenJoin,
): Query {
  const [, source = '', reference = '', code = ''] = name.split(':');
  return joined(type, `_has:${source}:${reference}:${code}`, written, (target, inner) =>
    along([{ name: code, where }, ...rest], filter, target, inner),
  );
}

type Parse = (target: ResourceType, written: WrittenJoin) => Query;

function joined(type: ResourceType, step: string, written: WrittenJoin, parse: Parse): Query {
  const query = parseJoin(type, step, {
    ...written,
    name: `_filter`,
    parse: (target, _, inner) => parse(target, inner),
  });
  if (query !== undefined) return query;
  throw badValue('_filter', `\`${step}\` is not a path of ${type.name}: only references have further steps.`);
}
