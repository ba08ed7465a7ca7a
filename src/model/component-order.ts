import type { JsonObject } from '../fhir/json-object.ts';
import { isParameterType } from './parameter-head.ts';
import { takesInstead } from './search-types.ts';

/** A component as it is written, with its definition if that is loaded. */
export interface Component {
  readonly canonical: string;
  readonly json: JsonObject | undefined;
  readonly expression: string | undefined;
}

/**
 * The components with their own expressions. R4 exchanges those of the two components of one parameter
 * (https://hl7.org/fhir/R4/documentreference.html#search, `relationship`): where neither fits its definition and both
 * fit the other one, they are exchanged back.
 */
export function inOrder(
  components: readonly Component[],
  typesOf: (expression: string) => ReadonlySet<string>,
): readonly Component[] {
  const [first, second, ...others] = components;
  if (first === undefined || second === undefined || others.length > 0) return components;
  const fits = ({ json }: Component, { expression }: Component): boolean =>
    expression !== undefined &&
    isParameterType(json?.['type']) &&
    takesInstead(json['type'], typesOf(expression)) === undefined;
  if (fits(first, first) || fits(second, second) || !fits(first, second) || !fits(second, first)) return components;
  return [
    { ...first, expression: second.expression },
    { ...second, expression: first.expression },
  ];
}
