import type { Call } from './calls.ts';
import type { Description } from './description.ts';
import { searchResponse } from './responses.ts';
import { severalFields, typeFields } from './search-fields.ts';
import type { Source } from './source.ts';

/** https://hl7.org/fhir/R4/http.html#search */
export function describeSearch(call: Call, source: Source): Description {
  const { type, method } = call;
  return {
    summary: summaryOf(call),
    fields: type === undefined ? severalFields(source) : typeFields(type, source),
    isForm: method === 'post',
    headers: ['prefer'],
    responses: { 200: searchResponse(type, source) },
    errors: [400],
  };
}

function summaryOf({ type, compartment, method }: Call): string {
  const form = method === 'post' ? ', as a form' : '';
  if (type !== undefined) return `Search ${type.name}${form}`;
  if (compartment === undefined) return `Search several types${form}`;
  const of = `the records of one ${compartment.type.name}`;
  return compartment.members === undefined ? `Search ${of}${form}` : `Search ${of} of one type${form}`;
}
