import { badValue } from '../fhir/error.ts';
import { didYouMean } from '../fhir/suggest.ts';
import type { TypeDefinition } from '../model/element.ts';

/**
 * The element names of an `_elements` value: names at the root of the type, a choice as `value`, `value[x]` or by one of
 * its types as `valueQuantity`. Throws FhirError 400 for any other. https://hl7.org/fhir/R4/search.html#elements
 */
export function elementNames(text: string, type: TypeDefinition): readonly string[] {
  return text.split(',').map(item => {
    const name = item.trim().replace(/\[x\]$/, '');
    if (type.elements.has(name) || type.properties.has(name)) return name;
    throw badValue(
      '_elements',
      item.trim() === ''
        ? `\`_elements\` holds an empty name. Separate element names by single commas.`
        : `\`${item}\` in \`_elements\` is not an element at the root of ${type.name}.${didYouMean(name, type.elements.keys())}`,
    );
  });
}
