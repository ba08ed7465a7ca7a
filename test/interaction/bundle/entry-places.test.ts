// https://hl7.org/fhir/R4/operationoutcome-definitions.html#OperationOutcome.issue.expression
import { expect, it } from 'vitest';
import { fhirError } from '../../../src/fhir/error.ts';
import { placedInBundle } from '../../../src/interaction/bundle/entry-places.ts';

const parameters = { resourceType: 'Parameters' };
const patient = { resourceType: 'Patient' };

it.each<[string, string, { readonly resourceType: string } | undefined, string, string]>([
  ['a search', 'GET Patient?name=x', undefined, 'http.name', 'request.url'],
  ['criteria', 'PUT Patient?name=x', patient, 'http.name', 'request.url'],
  ['a parameter of an operation in its URL', 'POST Patient/$validate?mode=x', patient, 'http.mode', 'request.url'],
  ['one that its Parameters lack', 'POST Patient/1/$meta-add', parameters, 'http.meta', 'resource'],
  ['one that it lacks', 'POST Patient/1/$meta-add', undefined, 'http.meta', 'request.url'],
  ['the body that it lacks', 'POST Patient/$validate', undefined, 'http.body', 'resource'],
  ['its Parameters', 'POST Patient/1/$meta-add', parameters, 'Parameters.parameter[0]', 'resource.parameter[0]'],
  ['another resource', 'POST Patient/1/$meta-add', patient, 'resourceType', 'resource.resourceType'],
  ['an element', 'POST Patient', patient, 'Patient.name[0]', 'resource.name[0]'],
  ['a FHIRPath Patch', 'PATCH Patient/1', parameters, 'Parameters.parameter[1]', 'resource.parameter[1]'],
  ['a JSON Patch', 'PATCH Patient/1', { resourceType: 'Binary' }, '$this[0].path', 'resource.data'],
  ['a patched record', 'PATCH Patient/1', parameters, 'Patient.name[0]', 'resource'],
  ['a condition', 'PUT Patient/1', patient, 'http."If-Match"', 'request.ifMatch'],
])('placedInBundle finds the place of %s', (_, request, resource, expression, place) => {
  const [method, url] = request.split(' ');
  const named = resource && { type: resource.resourceType, id: undefined };
  const [issue] = placedInBundle(
    { index: 2, value: { request: { method, url } }, named },
    fhirError(400, 'value', 'It is wrong.', expression),
  );
  expect(issue?.expression).toBe(`Bundle.entry[2].${place}`);
});
