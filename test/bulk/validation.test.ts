// https://hl7.org/fhir/R4/validation.html: what a load rejects, and what it counts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { media } from '../support/media.ts';
import { type Target, openTarget } from './support/target.ts';

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

const patient = (id: string, fields: object = {}): object => ({ resourceType: 'Patient', id, ...fields });
const contact = [{ gender: 'male' }];
const claiming = {
  meta: { profile: ['http://fhir.infoway-inforoute.ca/cacore/StructureDefinition/patient-ca-core|1.1.0'] },
};
const lines = (...resources: object[]): string => resources.map(resource => JSON.stringify(resource)).join('\n');
const bundle = (type: string, ...resources: { id?: string; resourceType?: string }[]): string =>
  JSON.stringify({
    resourceType: 'Bundle',
    type,
    entry: resources.map(resource => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    })),
  });

const wrong = [
  patient('good'),
  patient('binding', { gender: 'femal' }),
  patient('both', { gender: 'femal', contact }),
  patient('invariant', { contact }),
  patient('profile', { ...claiming, identifier: [{ value: '1' }] }),
  patient('reference', { generalPractitioner: [{ reference: 'Location/1' }] }),
];

describe.each([
  ['NDJSON', lines(...wrong), 'a.ndjson'],
  ['a batch', bundle('batch', ...wrong), 'a.json'],
  ['a transaction', bundle('transaction', ...wrong), 'a.json'],
])('%s', (_, text, name) => {
  it('is loaded, and what its records break is counted by kind', async () => {
    const { created, rejected, warned, warnings } = await target.load([target.file(name, text)]);
    expect({ created, rejected, warned }).toEqual({ created: 6, rejected: 0, warned: 5 });
    expect(Object.fromEntries(warnings)).toEqual({ bindings: 2, invariants: 2, 'other rules': 2 });
  });
});

/** The model with another policy on each type. */
function under(validationPolicy: 'off' | 'enforce'): object {
  const types = new Map([...target.model.types].map(([name, type]) => [name, { ...type, validationPolicy }]));
  return { model: { ...target.model, types } };
}

// https://hl7.org/fhir/R4/search.html#elements
it('rejects a part of a record under every policy', async () => {
  const system = 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue';
  const part = patient('part', { meta: { tag: [{ system, code: 'SUBSETTED' }] } });
  const { created, rejected } = await target.load(
    [target.file('a.ndjson', lines(part, patient('whole')))],
    under('off'),
  );
  expect({ created, rejected }).toEqual({ created: 1, rejected: 1 });
});

it('rejects for invariants and bindings under `enforce`, but not for a profile that is incomplete', async () => {
  const { created, rejected, warned } = await target.load([target.file('a.ndjson', lines(...wrong))], under('enforce'));
  expect({ created, rejected, warned }).toEqual({ created: 2, rejected: 4, warned: 1 });
  expect(
    target
      .rejects()
      .map(({ outcome, record = '' }) => [
        (JSON.parse(record) as { id: string }).id,
        ...outcome.issue.map(({ code, expression }) => [code, ...(expression ?? [])].join(' ')),
      ]),
  ).toEqual([
    ['binding', 'code-invalid Patient.gender'],
    ['both', 'code-invalid Patient.gender', 'invariant Patient.contact[0]'],
    ['invariant', 'invariant Patient.contact[0]'],
    ['reference', 'value Patient.generalPractitioner[0].reference'],
  ]);
});

it('counts nothing under `off`, and still rejects for the structure', async () => {
  const text = lines(...wrong, patient('x', { nmae: [] }), media({ id: 'm', subject: undefined }));
  const { created, rejected, warned } = await target.load([target.file('a.ndjson', text)], under('off'));
  expect({ created, rejected, warned }).toEqual({ created: 6, rejected: 2, warned: 0 });
  expect(target.rejects().map(({ outcome }) => outcome.issue[0]?.expression)).toEqual([
    ['Patient.nmae'],
    ['Media.subject'],
  ]);
});

it('rejects violations of the structure in the profile of the type, and counts those of its other rules', async () => {
  const records = [
    media({ id: 'good' }),
    media({ id: 'no-subject', subject: undefined }),
    media({ id: 'device', subject: { reference: 'Device/1' } }),
    media({ id: 'code', status: 'done' }),
  ];
  const { created, rejected, warnings } = await target.load([target.file('a.ndjson', lines(...records))]);
  expect({ created, rejected, warnings: Object.fromEntries(warnings) }).toEqual({
    created: 2,
    rejected: 2,
    warnings: { bindings: 1 },
  });
});
