import type { Asked, Given } from '../faulty-proxy.ts';
import { rewritten, write } from './kinds.ts';
import type { Planted } from './kinds.ts';

type Json = any; // eslint-disable-line typescript/no-explicit-any -- any resource

const terminology = ['ValueSet', 'CodeSystem'];

/** Changes the JSON of answers to a path. */
const inAnswer =
  (path: RegExp, change: (json: Json) => void) =>
  (given: Given, asked: Asked): void => {
    if (given.status !== 200 || !path.test(asked.path)) return;
    const json: unknown = JSON.parse(given.text);
    change(json);
    given.text = JSON.stringify(json);
  };

const isPatch = ({ method, headers }: Asked, format: string): boolean =>
  method === 'PATCH' && headers['content-type'] === format;
const jsonPatch = 'application/json-patch+json';

/** Faults of what only some servers declare: filters, compartments, operations and patches. */
export const moreFaults: readonly Planted[] = [
  {
    kind: '`_filter` forgets the second comparison',
    areas: ['filter'],
    types: ['Patient'],
    found: ['search.filter'],
    ...rewritten(/ and .*?(?=&|$)/, ''),
  },
  {
    kind: '`_filter` does not negate',
    areas: ['filter'],
    types: ['Patient'],
    found: ['search.filter'],
    ...rewritten(/not \((.*?)\)/, '$1'),
  },
  {
    kind: 'a compartment has records of others',
    areas: ['compartment'],
    types: ['Patient', 'Observation'],
    found: ['search.compartment'],
    request: asked => {
      asked.path = asked.path.replace(/^Patient\/[^/]+\/Observation/, 'Observation');
    },
  },
  {
    kind: 'a compartment lacks a record',
    areas: ['compartment'],
    types: ['Patient', 'Observation'],
    found: ['search.compartment'],
    answer: inAnswer(/^Patient\/[^/]+\/Observation/, json => {
      json.entry = json.entry.slice(1);
      json.total = undefined;
    }),
  },
  {
    kind: '$everything lacks the record itself',
    areas: ['operation'],
    types: ['Patient'],
    found: ['operation.everything'],
    answer: inAnswer(/\$everything/, json => {
      json.entry = json.entry.filter(
        (one: { resource: { resourceType: string } }) => one.resource.resourceType !== 'Patient',
      );
    }),
  },
  {
    kind: '$everything answers a collection',
    areas: ['operation'],
    types: ['Patient'],
    found: ['operation.everything'],
    answer: inAnswer(/\$everything/, json => {
      json.type = 'collection';
    }),
  },
  {
    kind: '$meta lacks a tag',
    areas: ['operation'],
    types: ['Patient'],
    found: ['operation.meta'],
    answer: inAnswer(/\$meta/, json => {
      delete json.parameter[0].valueMeta.tag;
    }),
  },
  {
    kind: '$lastn forgets the code',
    areas: ['operation'],
    types: ['Observation', 'Patient'],
    found: ['operation.lastn'],
    request: asked => {
      if (asked.path.includes('$lastn')) asked.path = asked.path.replace(/&code=[^&]*/, '&max=9');
    },
  },
  {
    kind: '$lastn answers an older record',
    areas: ['operation'],
    types: ['Observation', 'Patient'],
    found: ['operation.lastn'],
    request: asked => {
      if (asked.path.includes('$lastn')) asked.path = `${asked.path}&max=9`;
    },
    answer: inAnswer(/\$lastn/, json => {
      json.entry = json.entry.slice(-1);
    }),
  },
  {
    kind: '$expand lacks a code',
    areas: ['operation'],
    types: terminology,
    found: ['operation.expand'],
    answer: inAnswer(/\$expand/, json => {
      json.expansion.contains.pop();
    }),
  },
  {
    kind: '$lookup has no display',
    areas: ['operation'],
    types: terminology,
    found: ['operation.lookup'],
    answer: inAnswer(/\$lookup/, json => {
      json.parameter = json.parameter.filter((one: { name: string }) => one.name !== 'display');
    }),
  },
  {
    kind: '$validate-code is always true',
    areas: ['operation'],
    types: terminology,
    found: ['operation.validate-code'],
    answer: inAnswer(/\$validate-code/, json => {
      json.parameter.find((one: { name: string }) => one.name === 'result').valueBoolean = true;
    }),
  },
  {
    kind: 'a JSON Patch is not done',
    ...write,
    found: ['write.patch-json'],
    request: asked => {
      if (isPatch(asked, jsonPatch)) asked.method = 'GET';
    },
  },
  {
    kind: 'a JSON Patch is done although its test fails',
    ...write,
    found: ['write.patch-json'],
    request: asked => {
      if (!isPatch(asked, jsonPatch)) return;
      const operations = JSON.parse(asked.body) as { op: string }[]; // a JSON Patch
      asked.body = JSON.stringify(operations.filter(({ op }) => op !== 'test'));
    },
  },
  {
    kind: 'a FHIRPath Patch is not done',
    ...write,
    found: ['write.patch-fhirpath'],
    request: asked => {
      if (isPatch(asked, 'application/fhir+json')) asked.method = 'GET';
    },
  },
];
