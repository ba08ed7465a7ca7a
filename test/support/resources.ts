/** Resources for HTTP tests; what does not matter is filled in. */
type Fields = Readonly<Record<string, unknown>>;

export const patient = (id: string, fields: Fields = {}): object => ({
  resourceType: 'Patient',
  id,
  identifier: [{ system: 'https://fhir.infoway-inforoute.ca/NamingSystem/ca-on-patient-hcn', value: `100${id}` }],
  active: true,
  name: [{ family: 'Tremblay', given: ['Zoë', id] }],
  gender: 'female',
  birthDate: '1980-02-29',
  ...fields,
});

export const observation = (id: string, fields: Fields = {}): object => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '8302-2', display: 'Body height' }] },
  subject: { reference: 'Patient/p1' },
  effectiveDateTime: '2024-05-01T10:00:00-04:00',
  ...fields,
});
