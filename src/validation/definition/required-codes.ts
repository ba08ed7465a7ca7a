import type { JsonObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Terminology } from '../profile/terminology.ts';
import { Report, shorten } from '../report.ts';
import { walk } from '../walk.ts';
import type { VisitedValue } from '../walk.ts';

/**
 * The codes of a definition that R4 does not know: with a misspelt `strength` or `severity`, a binding or a constraint
 * would never be checked. `typeName` is the type of the definition. Codes that the loaded value sets leave undecided
 * are not reported. https://hl7.org/fhir/R4/terminologies.html#required
 */
export function checkRequiredCodes(
  resource: JsonObject,
  typeName: string,
  types: TypeDefinitions,
  terminology: Pick<Terminology, 'containsHere' | 'examples'>,
): readonly Issue[] {
  const report = new Report(50);
  report.path.push(typeName);
  walk(resource, types, report, checkCode);
  return report.issues;

  function checkCode({ value, element, type }: VisitedValue): void {
    const { binding, path } = element;
    if (typeof value !== 'string' || type.code !== 'code' || binding?.strength !== 'required') return;
    const url = binding.valueSet.replace(/\|.*/s, '');
    if (growing.has(url) || (url === compartmentTypes && types.resourceTypes.has(value))) return;
    if (terminology.containsHere(binding.valueSet, value, undefined) !== false) return;
    const known = terminology.examples(binding.valueSet);
    const few = known.length === 0 || known.length > 12 ? '' : ` Write one of ${known.map(quoted).join(', ')}.`;
    report.add('code-invalid', `\`${shorten(value)}\` is not a code of \`${path}\`.${didYouMean(value, known)}${few}`);
  }
}

/** R4 defines compartments of five types; this server has those of any resource type. */
const compartmentTypes = 'http://hl7.org/fhir/ValueSet/compartment-type';

/** ValueSets whose codes of R4 are out of date: of releases (check-file.ts), and of what tools for publishing read. */
const growing: ReadonlySet<string> = new Set(
  ['FHIR-version', 'guide-parameter-code', 'spdx-license'].map(name => `http://hl7.org/fhir/ValueSet/${name}`),
);

const quoted = (code: string): string => `\`${code}\``;
