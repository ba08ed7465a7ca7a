import { isObject } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Issue } from '../../fhir/outcome.ts';
import { didYouMean } from '../../fhir/suggest.ts';
import type { TypeDefinitions } from '../../model/element.ts';
import type { Terminology } from '../profile/terminology.ts';
import { Report, shorten } from '../report.ts';
import { shapesOf } from '../shape.ts';
import type { Field, Shape } from '../shape.ts';

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
  const { path } = report;
  const shapes = shapesOf(types);
  path.push(typeName);
  walkObject(resource, shapes.byName(typeName));
  return report.issues;

  function walkObject(json: JsonObject, shape: Shape): void {
    for (const [property, value] of Object.entries(json)) {
      const field = shape.fields.get(property);
      if (field === undefined || field.sibling) continue;
      path.push(field.property);
      if (!Array.isArray(value)) walkValue(value, field);
      else
        value.forEach((item, index) => {
          path.push(index);
          walkValue(item, field);
          path.pop();
        });
      path.pop();
    }
  }

  function walkValue(value: unknown, field: Field): void {
    if (typeof value === 'string') checkCode(value, field);
    else if (isObject(value) && field.primitive === undefined && !field.resource) walkObject(value, field.shape());
    else if (isObject(value) && field.resource && types.resourceTypes.has(String(value['resourceType'])))
      walkObject(value, shapes.byName(String(value['resourceType'])));
  }

  function checkCode(code: string, { element }: Field): void {
    const { binding } = element;
    if (binding?.strength !== 'required' || !element.types.some(type => type.code === 'code')) return;
    const url = binding.valueSet.replace(/\|.*/s, '');
    if (growing.has(url) || (url === compartmentTypes && types.resourceTypes.has(code))) return;
    if (terminology.containsHere(binding.valueSet, code, undefined) !== false) return;
    const known = terminology.examples(binding.valueSet);
    const few = known.length === 0 || known.length > 12 ? '' : ` Write one of ${known.map(quoted).join(', ')}.`;
    report.add(
      'code-invalid',
      `\`${shorten(code)}\` is not a code of \`${element.path}\`.${didYouMean(code, known)}${few}`,
    );
  }
}

/** R4 defines compartments of five types; this server has those of any resource type. */
const compartmentTypes = 'http://hl7.org/fhir/ValueSet/compartment-type';

/** ValueSets whose codes of R4 are out of date: of releases (check-file.ts), and of what tools for publishing read. */
const growing: ReadonlySet<string> = new Set(
  ['FHIR-version', 'guide-parameter-code', 'spdx-license'].map(name => `http://hl7.org/fhir/ValueSet/${name}`),
);

const quoted = (code: string): string => `\`${code}\``;
