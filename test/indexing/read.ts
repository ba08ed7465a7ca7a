import type { IndexValue } from '../../src/indexing/entry.ts';
import { entriesOf } from '../../src/indexing/index.ts';
import type { Meanings, Reading } from '../../src/indexing/reading.ts';
import { compileExpression } from '../../src/fhirpath/extract/expression.ts';
import type { SearchParam, SearchParamType } from '../../src/model/model.ts';
import { readTypeDefinitions } from '../../src/model/type-definitions.ts';

/** The R4 types, LOINC as the one code system where case counts, and the value set of genders. */
export const meanings: Meanings = {
  definitions: readTypeDefinitions(),
  caseSensitive: system => system === 'http://loinc.org',
  valueSetSystem: valueSet =>
    valueSet.startsWith('http://hl7.org/fhir/ValueSet/administrative-gender')
      ? 'http://hl7.org/fhir/administrative-gender'
      : undefined,
};

/** The values of a search type that an expression gives on a resource. */
export function read(
  searchType: SearchParamType,
  expression: string,
  resource: { readonly resourceType: string; readonly [element: string]: unknown },
  zone = 'America/Toronto',
  reads?: SearchParam['reads'],
): readonly IndexValue[] {
  const values: IndexValue[] = [];
  const reading: Reading = { resource, zone };
  const emit = (value: IndexValue): void => {
    values.push(value);
  };
  const compiled = compileExpression(expression, resource.resourceType, meanings.definitions);
  const param = { type: searchType, reads, dataTypes: compiled.types };
  compiled.bind(type => entriesOf(param, type, emit, reading, meanings))(resource);
  return values;
}
