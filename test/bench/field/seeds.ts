// The records of one visit, of the nine types and about the sizes that the field's benchmark creates, in the order in
// which each may refer to those before it. https://github.com/octoshikari/fhir-server-performance-benchmark

export type Seed = { readonly resourceType: string } & Record<string, unknown>;

/** References to the records that were created before, by type. */
export type Created = Readonly<Record<string, string>>;

const loinc = 'http://loinc.org';
const extensions = 'http://hl7.org/fhir/StructureDefinition';
const terminology = 'http://terminology.hl7.org/CodeSystem';
const concept = (system: string, code: string, display: string) => ({
  coding: [{ system, code, display }],
  text: display,
});
const to = (reference: string | undefined, display: string) => ({ reference, display });
const amount = (value: number) => ({ value, currency: 'USD' });
const address = {
  line: ['14 Mill Street', 'Unit 3'],
  city: 'Groveland',
  state: 'MA',
  postalCode: '01834',
  country: 'US',
};

export const seeds: readonly ((created: Created) => Seed)[] = [
  () => ({
    resourceType: 'Patient',
    extension: [
      { url: `${extensions}/patient-mothersMaidenName`, valueString: 'Mona Lindgren' },
      { url: `${extensions}/patient-birthPlace`, valueAddress: { city: 'Everett', state: 'MA', country: 'US' } },
    ],
    identifier: [
      { system: 'urn:example:records', value: '7ec34f99-4ae7-bb4c-cc1c-4ab0bc19784f' },
      {
        type: concept(`${terminology}/v2-0203`, 'MR', 'Medical Record Number'),
        system: 'urn:example:hospital',
        value: '7ec34f99-4ae7-bb4c-cc1c-4ab0bc19784f',
      },
      {
        type: concept(`${terminology}/v2-0203`, 'SS', 'Social Security Number'),
        system: 'http://hl7.org/fhir/sid/us-ssn',
        value: '999-40-7241',
      },
    ],
    name: [{ use: 'official', family: 'Metz', given: ['Polly', 'Ann'] }],
    telecom: [{ system: 'phone', value: '555-414-4084', use: 'home' }],
    gender: 'female',
    birthDate: '2007-03-07',
    address: [
      {
        ...address,
        extension: [
          {
            url: `${extensions}/geolocation`,
            extension: [
              { url: 'latitude', valueDecimal: 42.77964158567175 },
              { url: 'longitude', valueDecimal: -71.02719205793963 },
            ],
          },
        ],
      },
    ],
    maritalStatus: concept(`${terminology}/v3-MaritalStatus`, 'S', 'Never Married'),
    multipleBirthBoolean: false,
    communication: [{ language: concept('urn:ietf:bcp:47', 'en-US', 'English') }],
  }),
  () => ({
    resourceType: 'Location',
    identifier: [{ system: 'urn:example:places', value: 'b1ddf812-1fdd-3adf-b1d5-32cc8bd07ebb' }],
    status: 'active',
    name: 'GROVELAND FAMILY PRACTICE',
    telecom: [{ system: 'phone', value: '555-978-1100' }],
    address,
    position: { longitude: -71.02719205793963, latitude: 42.77964158567175 },
  }),
  () => ({
    resourceType: 'Organization',
    identifier: [{ system: 'urn:example:organizations', value: 'ef58ea08-d883-3957-8300-150554edc8fb' }],
    active: true,
    type: [concept(`${terminology}/organization-type`, 'prov', 'Healthcare Provider')],
    name: 'GROVELAND HOSPITAL',
    telecom: [{ system: 'phone', value: '555-978-2000' }],
    address: [address],
  }),
  () => ({
    resourceType: 'Practitioner',
    identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: '9999990299' }],
    active: true,
    name: [{ family: 'Stone', given: ['Alma'], prefix: ['Dr.'] }],
    telecom: [{ system: 'email', value: 'alma.stone@example.org', use: 'work' }],
    address: [address],
    gender: 'female',
  }),
  created => ({
    resourceType: 'Encounter',
    identifier: [{ use: 'official', system: 'urn:example:visits', value: '8c1f9d6e-0a77-4c11-97a4-6f1a5c5f5d10' }],
    status: 'in-progress',
    class: { system: `${terminology}/v3-ActCode`, code: 'AMB' },
    type: [concept('urn:example:visit-types', '185349003', 'Encounter for check up')],
    subject: to(created.Patient, 'Polly Ann Metz'),
    participant: [
      {
        type: [concept(`${terminology}/v3-ParticipationType`, 'PPRF', 'primary performer')],
        period: { start: '2020-12-22T11:07:07Z', end: '2020-12-22T11:22:07Z' },
        individual: to(created.Practitioner, 'Dr. Alma Stone'),
      },
    ],
    period: { start: '2020-12-22T11:07:07Z', end: '2020-12-22T11:22:07Z' },
    location: [{ location: to(created.Location, 'GROVELAND FAMILY PRACTICE') }],
    serviceProvider: to(created.Organization, 'GROVELAND HOSPITAL'),
  }),
  created => ({
    resourceType: 'Observation',
    status: 'final',
    category: [concept(`${terminology}/observation-category`, 'vital-signs', 'Vital Signs')],
    code: concept(loinc, '72514-3', 'Pain severity - 0-10 verbal numeric rating [Score] - Reported'),
    subject: to(created.Patient, 'Polly Ann Metz'),
    encounter: { reference: created.Encounter },
    effectiveDateTime: '2020-12-22T11:07:07+00:00',
    issued: '2020-12-22T11:07:07.442+00:00',
    valueQuantity: { value: 6, unit: '{score}', system: 'http://unitsofmeasure.org', code: '{score}' },
  }),
  created => ({
    resourceType: 'MedicationRequest',
    status: 'draft',
    intent: 'order',
    medicationCodeableConcept: concept('http://www.nlm.nih.gov/research/umls/rxnorm', '849574', 'Naproxen 220 MG'),
    subject: to(created.Patient, 'Polly Ann Metz'),
    encounter: { reference: created.Encounter },
    authoredOn: '2020-12-22T11:22:07+00:00',
    requester: to(created.Practitioner, 'Dr. Alma Stone'),
    dosageInstruction: [{ sequence: 1, text: 'Take as needed.', asNeededBoolean: true }],
  }),
  created => ({
    resourceType: 'Claim',
    status: 'active',
    type: concept(`${terminology}/claim-type`, 'pharmacy', 'Pharmacy'),
    use: 'claim',
    patient: to(created.Patient, 'Polly Ann Metz'),
    billablePeriod: { start: '2020-12-22T11:07:07+00:00', end: '2020-12-22T11:22:07+00:00' },
    created: '2020-12-22T11:22:07+00:00',
    provider: to(created.Organization, 'GROVELAND HOSPITAL'),
    priority: concept(`${terminology}/processpriority`, 'normal', 'Normal'),
    prescription: { reference: created.MedicationRequest },
    insurance: [{ sequence: 1, focal: true, coverage: { display: 'Aetna' } }],
    item: [
      {
        sequence: 1,
        productOrService: concept('urn:example:visit-types', '185349003', 'Encounter for check up'),
        encounter: [{ reference: created.Encounter }],
      },
    ],
    total: amount(129.16),
  }),
  created => ({
    resourceType: 'ExplanationOfBenefit',
    contained: [
      {
        resourceType: 'ServiceRequest',
        id: 'referral',
        status: 'completed',
        intent: 'order',
        subject: { reference: created.Patient },
        requester: { reference: created.Practitioner },
        performer: [{ reference: created.Patient }],
      },
      {
        resourceType: 'Coverage',
        id: 'coverage',
        status: 'active',
        type: { text: 'Aetna' },
        beneficiary: { reference: created.Patient },
        payor: [{ display: 'Aetna' }],
      },
    ],
    identifier: [{ system: 'urn:example:claims', value: 'a2f9f3a3-2b1d-4ed5-b3ba-0d6c9d7e9f01' }],
    status: 'active',
    type: concept(`${terminology}/claim-type`, 'pharmacy', 'Pharmacy'),
    use: 'claim',
    patient: { reference: created.Patient },
    billablePeriod: { start: '2020-12-22T11:07:07+00:00', end: '2021-12-22T11:22:07+00:00' },
    created: '2020-12-22T11:22:07+00:00',
    insurer: { display: 'Aetna' },
    provider: { reference: created.Practitioner },
    referral: { reference: '#referral' },
    claim: { reference: created.Claim },
    outcome: 'complete',
    careTeam: [
      {
        sequence: 1,
        provider: { reference: created.Practitioner },
        role: concept(`${terminology}/claimcareteamrole`, 'primary', 'Primary provider'),
      },
    ],
    insurance: [{ focal: true, coverage: { reference: '#coverage', display: 'Aetna' } }],
    item: [
      {
        sequence: 1,
        category: concept(`${terminology}/ex-benefitcategory`, '1', 'Medical Care'),
        productOrService: concept('urn:example:visit-types', '185349003', 'Encounter for check up'),
        servicedPeriod: { start: '2020-12-22T11:07:07+00:00', end: '2020-12-22T11:22:07+00:00' },
        locationCodeableConcept: concept('urn:example:places', '21', 'Inpatient Hospital'),
        encounter: [{ reference: created.Encounter }],
        net: amount(129.16),
        adjudication: ['submitted', 'copay', 'eligible', 'deductible', 'benefit'].map((code, at) => ({
          category: concept(`${terminology}/adjudication`, code, code),
          amount: amount(129.16 - at),
        })),
      },
    ],
    total: [{ category: concept(`${terminology}/adjudication`, 'submitted', 'Submitted'), amount: amount(129.16) }],
    payment: { amount: amount(103.33) },
  }),
];

/** The record with one element changed, so that an update makes a version. */
export function changed(record: Seed, at: number): Seed {
  switch (record.resourceType) {
    case 'Encounter':
      return { ...record, status: record.status === 'planned' ? 'in-progress' : 'planned' };
    case 'Location':
    case 'Organization':
      return { ...record, name: `${String(record.name)}-${at}` };
    case 'MedicationRequest':
      return { ...record, status: record.status === 'on-hold' ? 'draft' : 'on-hold' };
    case 'Observation':
      return { ...record, issued: new Date(at).toISOString() };
    case 'Patient':
    case 'Practitioner':
      return { ...record, gender: record.gender === 'unknown' ? 'other' : 'unknown' };
    default:
      return { ...record, created: new Date(at).toISOString() };
  }
}
