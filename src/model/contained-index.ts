import { hash } from 'node:crypto';
import { bareParameter } from './bare-parameter.ts';
import type { TypeDefinition } from './element.ts';
import type { ResourceType, SearchParam } from './model.ts';

/** The code of the parameter with what the resources inside of a record say. Clients cannot search by it. */
export const containedCode = '_contained';

/** Raised whenever its entries change (indexing/contained.ts). */
const revision = 2;

/**
 * The parameter that is indexed if any search looks into contained resources, or into those that are parts of a record;
 * none for a type without such resources. `offered` are the parameters of the type.
 * https://hl7.org/fhir/R4/search.html#contained
 */
export function containedParameters(
  { name, elements }: TypeDefinition,
  offered: ReadonlyMap<string, SearchParam>,
): readonly SearchParam[] {
  const own = elements.has('contained') ? [`${name}.contained`] : [];
  const inside = [...offered.values()]
    .filter(isInside)
    .flatMap(({ expression, targets }) => targets.map(target => `(${expression}).ofType(${target})`));
  const expression = [...new Set([...own, ...inside])].join(' | ');
  if (expression === '') return [];
  return [
    bareParameter({
      code: containedCode,
      type: 'uri',
      resourceType: name,
      expression,
      dataTypes: new Set(['uri']),
      reads: 'contained',
      digest: hash('sha256', `${containedCode} ${revision} ${expression}`).slice(0, 32),
    }),
  ];
}

/** The parameter of a type whose records may contain others and are indexed by them; undefined for all other types. */
export const containerIndex = ({ definition, indexed }: ResourceType): SearchParam | undefined =>
  definition.elements.has('contained') ? indexed.get(containedCode) : undefined;

/**
 * Whether the values of a reference parameter are resources themselves and no references, such as the first of a
 * document. https://hl7.org/fhir/R4/bundle.html#search
 */
export const isInside = ({ type, dataTypes }: SearchParam): boolean =>
  type === 'reference' &&
  dataTypes.size > 0 &&
  !['Reference', 'canonical', 'uri', 'url', 'oid', 'uuid'].some(one => dataTypes.has(one));
