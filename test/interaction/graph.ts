/** A subject and an encounter that an observation contains; they refer to each other and to records. */
const withContained = (at: number, size: number): object => ({
  subject: { reference: '#s' },
  encounter: { reference: at % 2 === 0 ? '#e' : `Encounter/e${at % size}` },
  contained: [
    {
      resourceType: 'Patient',
      id: 's',
      gender: at % 4 === 1 ? 'female' : 'male',
      name: [{ family: at % 3 === 0 ? 'Inner' : 'Roy' }],
      birthDate: `19${80 + (at % 20)}`,
      generalPractitioner: [{ reference: `Practitioner/d${at % 2}` }],
      managingOrganization: { reference: at % 3 === 1 ? '#o' : 'Organization/o0' },
    },
    { resourceType: 'Organization', id: 'o', name: 'Inside' },
    {
      resourceType: 'Encounter',
      id: 'e',
      status: 'planned',
      class: { code: at % 4 === 0 ? 'INNER' : 'AMB' },
      subject: { reference: at % 3 === 0 ? '#s' : `Patient/p${(at * 3) % size}` },
      participant: [{ individual: { reference: at % 5 === 0 ? 'Practitioner/d0' : '#d' } }],
    },
    { resourceType: 'Practitioner', id: 'd', active: true, name: [{ family: 'Inner' }] },
  ],
});

/** Records of seven types that refer to each other, for chains, `_has` and includes; some by URLs below `base`. */
export function graph(size: number, base: string): readonly object[] {
  const of = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
  const pick = (values: readonly string[], at: number): string => values[at % values.length] ?? '';
  const few = Math.max(2, Math.floor(size / 6));
  return [
    ...of(3, at => ({ resourceType: 'Organization', id: `o${at}`, name: pick(['North', 'South', 'East'], at) })),
    ...of(few, at => ({
      resourceType: 'Practitioner',
      id: `d${at}`,
      active: at % 2 === 0,
      name: [{ family: pick(['Okafor', 'Roy', 'Tremblay'], at), given: [pick(['Ada', 'Luc'], at)] }],
    })),
    ...of(size, at => ({
      resourceType: 'Patient',
      id: `p${at}`,
      gender: pick(['female', 'male', 'other'], at),
      name: [{ family: pick(['Smith', 'Tremblay', 'Roy', 'Ng'], at) }],
      birthDate: `${1950 + (at % 50)}-01-0${1 + (at % 9)}`,
      ...(at % 4 === 0 ? {} : { generalPractitioner: [{ reference: `Practitioner/d${at % few}` }] }),
      ...(at % 3 === 0 ? { managingOrganization: { reference: `Organization/o${at % 3}` } } : {}),
      ...(at % 5 === 1 ? { link: [{ type: 'seealso', other: { reference: `Patient/p${(at * 7) % size}` } }] } : {}),
    })),
    ...of(size, at => ({
      resourceType: 'Encounter',
      id: `e${at}`,
      status: pick(['finished', 'planned'], at),
      class: { code: pick(['AMB', 'EMER', 'IMP'], at) },
      subject: { reference: `${at % 5 === 2 ? `${base}/` : ''}Patient/p${(at * 3) % size}` },
      participant: [{ individual: { reference: `Practitioner/d${at % few}` } }],
      period: { start: `2024-0${1 + (at % 9)}-01T10:00:00Z` },
      ...(at % 6 === 5 ? { partOf: { reference: `Encounter/e${at - 1}` } } : {}),
    })),
    ...of(size * 2, at => ({
      resourceType: 'Observation',
      id: `b${at}`,
      status: pick(['final', 'amended', 'preliminary'], at),
      code: { coding: [{ system: 'http://loinc.org', code: pick(['8480-6', '8462-4', '718-7', '2093-3'], at) }] },
      effectiveDateTime: `2024-0${1 + (at % 9)}-1${at % 10}`,
      // A device and a group are no types of the other records, and an absolute reference leads elsewhere.
      subject: {
        reference: at % 17 === 16 ? 'https://elsewhere.example/fhir/Patient/p1' : `Patient/p${(at * 5) % size}`,
      },
      ...(at % 3 === 0 ? {} : { encounter: { reference: `Encounter/e${at % size}` } }),
      ...(at % 7 === 6 ? { hasMember: [{ reference: `Observation/b${at - 3}` }] } : {}),
      ...(at % 11 === 5 ? withContained(at, size) : {}),
      valueQuantity: { value: 50 + (at % 90), unit: 'mg', system: 'http://unitsofmeasure.org', code: 'mg' },
    })),
    ...of(2, at => ({
      resourceType: 'Questionnaire',
      id: `q${at}`,
      status: 'active',
      title: pick(['Intake', 'Follow-up'], at),
      url: `http://example.org/q${at}`,
      version: '2',
    })),
    { resourceType: 'Questionnaire', id: 'q2', status: 'active', title: 'Intake', url: 'http://example.org/q0' },
    {
      resourceType: 'Questionnaire',
      id: 'q3',
      status: 'active',
      title: 'Intake',
      url: 'http://example.org/q0',
      version: '3',
    },
    // Their url is the address of the first; the last one's has a fragment, which a canonical cannot name.
    ...['5', '6'].map((version, at) => ({
      resourceType: 'Questionnaire',
      id: `at${version}`,
      status: 'active',
      title: pick(['Intake', 'Follow-up'], at),
      url: `${base}/Questionnaire/at5`,
      version,
    })),
    { resourceType: 'Questionnaire', id: 'part', status: 'active', title: 'Part', url: 'http://example.org/p#part' },
    ...['', '|5', '|6', '|9'].map((version, at) => ({
      resourceType: 'QuestionnaireResponse',
      id: `at${at}`,
      status: pick(['completed', 'in-progress'], at),
      questionnaire: `${base}/Questionnaire/at5${version}`,
    })),
    ...['Questionnaire/at5', 'Questionnaire/at5|9', 'http://example.org/p#part'].map((questionnaire, at) => ({
      resourceType: 'QuestionnaireResponse',
      id: `to${at}`,
      status: 'completed',
      questionnaire,
    })),
    ...of(few, at => ({
      resourceType: 'Bundle',
      id: `doc${at}`,
      type: at % 3 === 2 ? 'collection' : 'document',
      entry: [
        {
          resource: {
            resourceType: 'Composition',
            id: `c${at}`,
            status: 'final',
            title: pick(['Report', 'Letter'], at),
            subject: { reference: `Patient/p${at}` },
          },
        },
      ],
    })),
    ...of(few, at => ({
      resourceType: 'QuestionnaireResponse',
      id: `a${at}`,
      status: pick(['completed', 'in-progress'], at),
      questionnaire: pick(
        [
          'http://example.org/q0|2',
          'http://example.org/q1',
          'Questionnaire/q0',
          'http://example.org/q0',
          'http://example.org/q0|3',
        ],
        at,
      ),
      subject: { reference: `Patient/p${at}` },
    })),
  ];
}
