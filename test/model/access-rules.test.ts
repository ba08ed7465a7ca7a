import { describe, expect, it } from 'vitest';
import { loadOnly, ours, searchParameter, statement } from '../support/definition-files.ts';

// Who a resource belongs to: `access-link`, else the parameter `patient`, else `subject`.

const load = async (type: string, fields: object = {}, files: Readonly<Record<string, unknown>> = {}) => {
  const { model, problems } = await loadOnly(statement([{ type, ...fields }]), files);
  expect(problems).toEqual([]);
  return model?.types.get(type);
};

describe('a type without an access-link', () => {
  it.each<[string, string | undefined]>([
    ['DiagnosticReport', 'patient'],
    ['Basic', 'patient'],
    ['MeasureReport', 'patient'],
    ['AdverseEvent', 'subject'],
    ['Practitioner', undefined],
    ['Patient', undefined],
  ])('%s belongs to the patient of its parameter %s', async (name, code) => {
    const type = await load(name);
    expect(type?.accessLinks).toEqual(code === undefined ? [] : [{ compartment: 'Patient', parameter: code }]);
    expect([...(type?.indexed.keys() ?? [])]).toEqual(code === undefined ? [] : [code]);
    expect(type?.parameters.size).toBe(0);
  });

  it('takes the parameter of R4, whatever else has its code', async () => {
    const other = searchParameter('patient', {
      base: ['Basic'],
      type: 'reference',
      expression: 'Basic.author',
      target: ['Patient'],
    });
    const type = await load('Basic', {}, { 'searchparameters/patient.json': other });
    expect(type?.indexed.get('patient')?.expression).toBe('Basic.subject.where(resolve() is Patient)');
  });
});

describe('an access-link', () => {
  it('may name any parameter and compartment, and pairs with what is offered', async () => {
    const link = (compartment: string, parameter: string) =>
      ours('access-link', [
        { url: 'compartment', valueCode: compartment },
        { url: 'parameter', valueCode: parameter },
      ]);
    const type = await load('Encounter', {
      extension: [link('Patient', 'subject'), link('Practitioner', 'practitioner')],
      interaction: [{ code: 'search-type' }],
      searchParam: [
        { name: 'status', type: 'token' },
        { name: '_tag', type: 'token' },
        { name: 'practitioner', type: 'reference' },
      ],
    });
    expect(type?.accessLinks).toEqual([
      { compartment: 'Patient', parameter: 'subject' },
      { compartment: 'Practitioner', parameter: 'practitioner' },
    ]);
    expect([...(type?.indexed.keys() ?? [])]).toEqual(['status', '_tag', 'practitioner', 'subject']);
    expect(type?.pairs.map(({ code }) => code)).toEqual(['subject+status', 'practitioner+status']);
  });
});

describe('access-criteria', () => {
  it('narrow by parameters that are offered or indexed', async () => {
    const type = await load('Encounter', {
      extension: [
        ours('indexed-only', { valueCanonical: 'http://hl7.org/fhir/SearchParameter/Encounter-practitioner' }),
        ours('access-criteria', [
          { url: 'context', valueCode: 'user' },
          { url: 'criteria', valueString: 'practitioner={fhirUser}' },
        ]),
      ],
    });
    expect(type?.accessCriteria).toEqual([{ context: 'user', criteria: 'practitioner={fhirUser}' }]);
    expect([...(type?.indexed.keys() ?? [])]).toEqual(['practitioner', 'patient']);
  });
});
