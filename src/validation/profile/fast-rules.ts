import { isObject, objectsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import { childrenOf } from '../../fhirpath/evaluate/node.ts';
import type { Node } from '../../fhirpath/evaluate/node.ts';
import type { Walk } from './walk.ts';

/** Decides a rule without FHIRPath. */
export type Rule = (node: Node, walk: Walk) => boolean;

const contained = ({ value }: Node): readonly JsonObject[] => (isObject(value) ? objectsOf(value['contained']) : []);
const metaOf = ({ meta }: JsonObject): JsonObject => (isObject(meta) ? meta : {});

/**
 * Rules that apply to every resource, by key and expression: for exactly this expression, a function decides the same.
 * https://hl7.org/fhir/R4/domainresource.html#invs
 */
export const fastRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['dom-2 contained.contained.empty()', node => contained(node).every(resource => resource['contained'] === undefined)],
  [
    'dom-4 contained.meta.versionId.empty() and contained.meta.lastUpdated.empty()',
    node =>
      contained(node)
        .map(metaOf)
        .every(meta => meta['versionId'] === undefined && meta['lastUpdated'] === undefined),
  ],
  [
    'dom-5 contained.meta.security.empty()',
    node => contained(node).every(resource => metaOf(resource)['security'] === undefined),
  ],
  [
    "dom-3 contained.where((('#'+id in (%resource.descendants().reference | " +
      '%resource.descendants().as(canonical) | %resource.descendants().as(uri) | ' +
      "%resource.descendants().as(url))) or descendants().where(reference = '#').exists() or " +
      "descendants().where(as(canonical) = '#').exists() or descendants().where(as(canonical) = " +
      "'#').exists()).not()).trace('unmatched', id).empty()",
    containedIsUsed,
  ],
]);

/** Each contained resource is referenced in the resource, or references the resource that contains it. */
function containedIsUsed(node: Node, walk: Walk): boolean {
  const resources = contained(node);
  if (resources.length === 0) return true;
  const named = new Set<string>();
  const users = new Set<unknown>();
  const visit = (parent: Node, within: unknown): void => {
    const children = childrenOf(parent, walk.rulebook.types);
    walk.budget.spend(1 + children.length);
    for (const child of children) {
      const { value, element } = child;
      const place = within ?? (parent === node && element?.name === 'contained' ? value : undefined);
      if (typeof value === 'string') {
        if (value === '#') users.add(place);
        else if (value.startsWith('#') && (element?.name === 'reference' || links.has(child.code)))
          named.add(value.slice(1));
      }
      visit(child, place);
    }
  };
  visit(node, undefined);
  return resources.every(resource => named.has(String(resource['id'])) || users.has(resource));
}

const links: ReadonlySet<string> = new Set(['canonical', 'uri', 'url']);
