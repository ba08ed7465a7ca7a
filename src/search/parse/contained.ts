import { badValue } from '../../fhir/error.ts';
import { containerIndex } from '../../model/contained-index.ts';
import type { ResourceType } from '../../model/model.ts';
import type { QueryPair, SearchRequest } from '../request.ts';
import { none, simplify } from '../simplify.ts';
import { joinsOf } from '../walk.ts';
import { emptyValue, unsupportedModifier, unsupportedParameter } from './errors.ts';
import { Ignorable } from './ignorable.ts';
import type { SearchContext } from './value.ts';

const values: Readonly<Record<string, readonly string[]>> = {
  _contained: ['false', 'true', 'both'],
  _containedType: ['container', 'contained'],
};

export const isContained = (name: string): boolean => /^_contained(?:Type)?(?::|$)/.test(name);

/**
 * Parses `_contained` or `_containedType` into `given`. Throws `Ignorable` if the type does not support it, FhirError
 * 400 for another value or a repeated parameter. https://hl7.org/fhir/R4/search.html#contained
 */
export function takeContained(
  type: ResourceType,
  [name, value]: QueryPair,
  given: Map<string, string>,
  context: SearchContext,
): void {
  const [code = '', ...modifier] = name.split(':');
  if (!type.searchFeatures.has('contained') || context.joins === undefined)
    throw new Ignorable(unsupportedParameter(name));
  if (modifier.length > 0) throw unsupportedModifier(code, modifier.join(':'), []);
  if (value === '') throw new Ignorable(emptyValue(name));
  if (given.has(name)) throw badValue(name, `\`${name}\` is repeated: send it once.`);
  const offered = values[name] ?? [];
  if (!offered.includes(value)) {
    const offer = offered.map(one => `\`${one}\``).join(', ');
    throw badValue(name, `\`${value}\` is not a value for \`${name}\`: write one of ${offer}.`);
  }
  given.set(name, value);
}

/** What a search asks of contained resources; undefined if nothing. */
export function containedOf(
  given: ReadonlyMap<string, string>,
  search: Pick<SearchRequest, 'type' | 'query'>,
): SearchRequest['contained'] {
  const of = given.get('_contained') ?? 'false';
  if (of === 'false') return undefined;
  const as = given.get('_containedType') === 'contained' ? 'contained' : 'container';
  return { of: of === 'both' ? 'both' : 'true', as, ...search };
}

/**
 * Throws FhirError 400 for what a search of contained resources cannot be combined with: containers are of several
 * types, and nothing outside of its container refers to a contained resource.
 */
export function checkContained({ contained, query, includes, sort }: SearchRequest): void {
  if (contained === undefined) return;
  const refuse = (what: string): Error => badValue('_contained', `\`_contained\` cannot be combined with ${what}.`);
  if (joinsOf(query).length > 0) throw refuse('chains, `_has`, `_list` or hierarchies of references');
  if (includes.length > 0) throw refuse('`_include` or `_revinclude`');
  if (sort.some(({ by }) => by === 'param' || by === 'score')) {
    throw badValue('_sort', 'A search with `_contained` is sorted by `_id` and `_lastUpdated` only.');
  }
}

/** A request for the containers of each of these types, with the matches of the type itself for `both`. */
export function containerRequests(one: SearchRequest, containers: readonly ResourceType[]): readonly SearchRequest[] {
  const { type, query, contained } = one;
  if (contained === undefined) return [one];
  const requests = new Map<string, SearchRequest>();
  for (const container of containers) {
    const param = containerIndex(container);
    if (param === undefined) continue;
    const of = { kind: 'contained', param, type, of: query } as const;
    requests.set(container.name, { ...one, type: container, query: simplify(of), scored: undefined });
  }
  if (contained.of === 'both') {
    const own = requests.get(type.name);
    const both = own === undefined ? query : simplify({ kind: 'or', of: [query, own.query] });
    requests.set(type.name, { ...one, query: both, scored: undefined });
  }
  if (requests.size === 0) return [{ ...one, query: none }];
  return [...requests.values()].sort((a, b) => (a.type.name < b.type.name ? -1 : 1));
}
