// `$validate` of every resource type of R4, by the first official example of each.
// https://hl7.org/fhir/R4/resource-operation-validate.html
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { serve } from '../support/serve.ts';
import type { Answer, Served } from '../support/serve.ts';
import { faulty } from '../validation/profile/faulty-examples.ts';
import { exampleNames, readExample } from '../validation/profile/support/examples.ts';

const broken = new Set(faulty.map(([name]) => name));
/** Of the types whose only examples are faulty, or lack. */
const others: readonly JsonObject[] = [
  { resourceType: 'DeviceMetric', type: { text: 'a' }, category: 'setting' },
  {
    resourceType: 'DeviceUseStatement',
    status: 'active',
    subject: { reference: 'Patient/a' },
    device: { display: 'a' },
  },
  { resourceType: 'EventDefinition', status: 'draft', trigger: [{ type: 'named-event', name: 'a' }] },
  { resourceType: 'Parameters', parameter: [{ name: 'a', valueBoolean: true }] },
  { resourceType: 'SubstanceNucleicAcid' },
  { resourceType: 'SubstancePolymer' },
  { resourceType: 'SubstanceProtein' },
  { resourceType: 'SubstanceReferenceInformation' },
  { resourceType: 'SubstanceSourceMaterial' },
  {
    resourceType: 'TerminologyCapabilities',
    status: 'draft',
    date: '2020',
    kind: 'capability',
    software: { name: 'a' },
  },
];
const named = exampleNames
  .filter(name => !broken.has(name))
  .map(name => [name.slice(0, name.indexOf('-')), name] as const)
  .reverse(); // so that the first of a type is the one that stays
const examples = new Map<string, JsonObject>([
  ...[...new Map(named)].map(([type, name]) => [type, readExample(name)] as const),
  ...others.map(resource => [String(resource['resourceType']), { ...resource, id: 'a' }] as const),
]);

let server: Served;
beforeAll(async () => {
  server = await serve(examples.values() as Iterable<object>, [
    '--capability',
    join(import.meta.dirname, '../fixtures/all-r4/capability'),
  ]);
});
afterAll(() => server.close());

const errorsOf = ({ status, json }: Answer): readonly unknown[] => [
  status,
  ...(json.issue as { severity: string; diagnostics: string }[])
    .filter(({ severity }) => severity !== 'warning' && severity !== 'information')
    .map(({ diagnostics }) => diagnostics),
];

it('accepts what is valid, sent or stored, and reports what is not', async () => {
  const types = [...server.running.engine.model.types.keys()];
  expect(types.filter(type => !examples.has(type))).toEqual([]);
  const headers = { 'Content-Type': 'application/fhir+json' };
  for (const type of types) {
    const example = examples.get(type) ?? {};
    const send = (body: object) =>
      server.ask('POST', `/${type}/$validate`, { headers, body: JSON.stringify(body) }).then(errorsOf);
    const wrapped = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: example }] };
    const stored = errorsOf(await server.get(`/${type}/${String(example['id'])}/$validate`));
    expect([type, await send(example), await send(wrapped), stored]).toEqual([type, [200], [200], [200]]);
    const [status, ...errors] = await send({ ...example, unheardOf: true });
    expect([type, status, errors.length]).toEqual([type, 200, 1]);
  }
});
