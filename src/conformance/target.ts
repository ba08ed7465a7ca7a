import type { ReferenceValue } from '../indexing/entry.ts';
import type { SearchParam } from '../model/model.ts';

/** True if a parameter may refer to a type by its definition. */
export const mayRefer = ({ targets }: Pick<SearchParam, 'targets'>, type: string): boolean =>
  targets.length === 0 || targets.includes(type);

/**
 * True for a value that leads to a record of a type to which the parameter does not refer, such as the Composition that
 * is the first entry of a document, for `Bundle?message=`. R4 does not say whether a server finds records by it.
 * https://hl7.org/fhir/R4/searchparameter-definitions.html#SearchParameter.target
 */
export function isOutsideTargets(param: Pick<SearchParam, 'targets'>, { type, url }: ReferenceValue): boolean {
  const leadsTo = type ?? /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}$/.exec(url ?? '')?.[1];
  return leadsTo !== undefined && !mayRefer(param, leadsTo);
}
