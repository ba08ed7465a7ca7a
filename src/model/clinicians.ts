import { didYouMean } from '../fhir/suggest.ts';
import { extensions } from './definition-nodes.ts';
import type { Declared, ReportAt } from './definition-nodes.ts';
import type { TypeDefinitions } from './element.ts';
import { textOf } from './extensions.ts';
// The types that SMART lists for clinicians.
// https://hl7.org/fhir/smart-app-launch/STU2.2/scopes-and-launch-context.html#scopes-for-requesting-identity-data
import smartClinicians from './clinicians.json' with { type: 'json' };

/**
 * Returns the resource types of users who may have `user/` scopes: those that the capability files name (`clinician`),
 * else those of SMART, whatever types are declared. Reports a name that is not a resource type of R4.
 */
export function cliniciansOf(
  { rests }: Declared,
  { resourceTypes }: TypeDefinitions,
  report: ReportAt,
): ReadonlySet<string> {
  const named = extensions(rests, 'clinician').map(node => ({ node, name: textOf(node.json) ?? '' }));
  for (const { node, name } of named)
    if (!resourceTypes.has(name))
      report(node, 'valueCode', `\`${name}\` is not a resource type of R4.${didYouMean(name, resourceTypes)}`);
  return new Set(named.length === 0 ? smartClinicians : named.map(({ name }) => name));
}
