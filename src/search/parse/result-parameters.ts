import { badValue } from '../../fhir/error.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { ResourceType } from '../../model/model.ts';
import type { Query, Sort } from '../ast.ts';
import type { SearchRequest } from '../request.ts';
import { sortKindOf } from '../sort-value.ts';

/** Parameters that control the answer; each at most once. https://hl7.org/fhir/R4/search.html#return */
export const controls = [
  '_count',
  '_page_token',
  '_sort',
  '_summary',
  '_elements',
  '_total',
  '_score',
  '_format',
  '_pretty',
] as const;

const known: ReadonlySet<string> = new Set(controls);

/** Whether a name is that of a control, in a search without a modifier; a type may lack `_score`. */
export const isControlName = (name: string): boolean => name.startsWith('_') && known.has(name);

/** Matches on a page: the requested number, up to the maximum of the type. https://hl7.org/fhir/R4/search.html#count */
export function parseCount(value: string, type: ResourceType): number {
  if (!/^[0-9]+$/.test(value)) {
    throw badValue('_count', `\`${value}\` is not a value for \`_count\`: write a whole number, 0 or more.`);
  }
  return Math.min(Number(value), type.pageSize.max);
}

/**
 * `_sort=-date,_id`: the first key has priority, `-` is descending. `scored` is the query whose matches have a score.
 * https://hl7.org/fhir/R4/search.html#sort
 */
export function parseSort(value: string, type: ResourceType, scored?: Query): readonly Sort[] {
  const keys = value.split(',').map(text => {
    const descending = text.startsWith('-');
    return { code: descending ? text.slice(1) : text, descending };
  });
  const codes = keys.map(key => key.code);
  const twice = codes.find((code, at) => codes.indexOf(code) !== at);
  if (twice !== undefined) throw badValue('_sort', `\`_sort\` names \`${twice}\` twice: name it once.`);
  return keys.map(({ code, descending }): Sort => {
    if (code === '_id') return { by: 'id', descending };
    if (code === '_lastUpdated') return { by: 'lastUpdated', descending };
    const hasScore = type.searchFeatures.has('score');
    if (code === '_score' && scored !== undefined) return { by: 'score', of: scored, descending };
    if (code === '_score' && hasScore) throw badValue('_sort', noScore);
    const param = type.parameters.get(code);
    if (param !== undefined && sortKindOf(param) !== undefined) return { by: 'param', param, descending };
    const others = [...type.parameters.values()].filter(one => sortKindOf(one) !== undefined).map(one => one.code);
    const offered = [...new Set(['_id', '_lastUpdated', ...(hasScore ? ['_score'] : []), ...others.sort()])];
    const list = offered.map(one => `\`${one}\``).join(', ');
    throw badValue(
      '_sort',
      `${type.name} cannot be sorted by \`${code}\`.${didYouMean(code, offered)} Use ${list}, each with \`-\` ` +
        'before it for descending.',
    );
  });
}

const noScore =
  'Only matches of a full-text search have a `_score`: search words, by `_text` for example, or sort by another key.';

/** https://hl7.org/fhir/R4/search.html#summary */
export function parseSummary(value: string): SearchRequest['summary'] {
  return oneOf('_summary', value, ['true', 'text', 'data', 'count', 'false']);
}

/** Whether matches of a search by words have their score. https://hl7.org/fhir/R5/search.html#_score */
export function parseScore(value: string): boolean {
  return oneOf('_score', value, ['true', 'false']) === 'true';
}

/** https://hl7.org/fhir/R4/search.html#total */
export function parseTotal(value: string): SearchRequest['total'] {
  return oneOf('_total', value, ['none', 'estimate', 'accurate']);
}

/**
 * Names of top-level elements of one of the types, which are those of the matches and of the included records; a choice
 * is `value`, `value[x]` or `valueQuantity`. https://hl7.org/fhir/R4/search.html#elements
 */
export function parseElements(
  value: string,
  types: readonly Pick<ResourceType, 'name' | 'definition'>[],
): readonly string[] {
  const names = value.split(',').flatMap(text => {
    const name = text.endsWith('[x]') ? text.slice(0, -3) : text;
    const found = types.flatMap(({ definition: { elements, properties } }) => {
      const element = elements.get(name)?.name ?? properties.get(name)?.element.name;
      return element === undefined ? [] : [element];
    });
    if (found.length === 0) throw noElement(text, name, types);
    return found;
  });
  return [...new Set(names)];
}

function noElement(text: string, name: string, types: readonly Pick<ResourceType, 'name' | 'definition'>[]): Error {
  const known = new Set(types.flatMap(({ definition }) => [...definition.elements.keys()]));
  const few = types.slice(0, 5).map(type => type.name);
  const [only = ''] = few;
  const all = types.length > few.length ? 'None of the types' : `None of ${few.join(', ')}`;
  const who = types.length === 1 ? only : all;
  const has = types.length === 1 ? 'has no' : 'has a';
  return badValue('_elements', `${who} ${has} top-level element \`${text}\`.${didYouMean(name, known)}`);
}

function oneOf<T extends string>(name: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find(one => one === value);
  if (found !== undefined) return found;
  const offer = allowed.map(one => `\`${one}\``).join(', ');
  throw badValue(name, `\`${value}\` is not a value for \`${name}\`: write one of ${offer}.`);
}
