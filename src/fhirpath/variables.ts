/**
 * The value of a global variable: `%sct`, `%loinc`, `%ucum`, `%vs-name`, `%ext-name`; undefined for any other.
 * https://hl7.org/fhir/R4/fhirpath.html#variables
 */
export function constantOf(name: string): string | undefined {
  if (Object.hasOwn(constants, name)) return constants[name];
  const base = 'http://hl7.org/fhir/';
  if (name.startsWith('vs-')) return `${base}ValueSet/${name.slice(3)}`;
  return name.startsWith('ext-') ? `${base}StructureDefinition/${name.slice(4)}` : undefined;
}

const constants: Readonly<Record<string, string>> = {
  sct: 'http://snomed.info/sct',
  loinc: 'http://loinc.org',
  ucum: 'http://unitsofmeasure.org',
};

/** Variables whose values depend on the position of a rule. */
export const places: ReadonlySet<string> = new Set(['resource', 'rootResource', 'context']);
