import { asObject } from '../../fhir/json-object.ts';
import type { ValidationIssue } from '../../validation/profile/findings.ts';
import { isSubsetTag } from '../subset.ts';

/**
 * An error for a resource whose own `meta.tag` says that elements are left out: as a record it would replace the whole
 * one. Resources inside it are not looked at. https://hl7.org/fhir/R4/search.html#elements
 */
export function subsetIssues(resource: unknown, typeName: string): readonly ValidationIssue[] {
  const { tag } = asObject(asObject(asObject(resource)['meta']));
  const at = Array.isArray(tag) ? tag.findIndex(isSubsetTag) : -1;
  if (at === -1) return [];
  const text =
    'The tag `SUBSETTED` says that elements are left out of this resource, which would then be lost. ' +
    'Read the record without `_summary` and `_elements`, change that and send it; a whole resource has no such tag.';
  const expression = `${typeName}.meta.tag[${at}]`;
  return [{ severity: 'error', code: 'business-rule', text, expression, rule: 'subsetted' }];
}
