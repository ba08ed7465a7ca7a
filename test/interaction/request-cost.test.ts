import { expect, it } from 'vitest';
import { requestCost } from '../../src/interaction/client-limit.ts';

it.each([
  ['read', '', 1],
  ['create', '', 1],
  ['batch', '', 1],
  ['operation', '', 5],
  ['capabilities', '', 1],
  ['search-type', '', 2],
  ['search-type', 'name=a&birthdate=ge1980&_sort=name&_count=50', 2],
  ['search-type', 'code:text=a&name:exact=b', 2],
  ['search-type', '_count=1000', 12],
  ['search-type', '_count=2147483647', 12],
  ['search-type', '_count=-5', 2],
  ['search-type', '_count=many', 2],
  ['search-type', 'patient.name=a', 7],
  ['search-type', 'subject:Patient.name=a', 7],
  ['search-type', '_has:Observation:patient:code=a', 7],
  ['search-type', '_include=Observation:patient&_revinclude:iterate=Observation:patient', 12],
  ['search-type', '_content=a&_total=accurate&code:in=http://example.org/set', 17],
  ['search-type', '_total=estimate', 2],
  ['search-system', '_lastUpdated=ge2024', 10],
  ['history-instance', '', 2],
  ['history-system', '', 10],
] as const)('%s %s costs %d', (interaction, query, cost) => {
  const parameters = [...new URLSearchParams(query)];
  expect(requestCost({ interaction, parameters })).toBe(cost);
});
