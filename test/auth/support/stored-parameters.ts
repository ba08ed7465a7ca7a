import type { Resource } from './records.ts';

/** A search parameter of each kind, as records of a partition: each looks at the records of several patients. */
export const storedParameters: readonly Resource[] = [
  parameter('about', 'reference', ['Condition', 'Observation'], 'Condition.subject | Observation.subject', {
    target: ['Patient'],
  }),
  parameter('seen-by', 'reference', ['Observation'], 'Observation.performer'),
  parameter('kind', 'token', ['Condition', 'Observation'], 'Condition.code | Observation.code'),
  parameter('called', 'string', ['Patient'], 'Patient.name.family'),
  parameter('took-place', 'date', ['Observation'], 'Observation.effective'),
  parameter('born', 'date', ['Patient'], 'Patient.birthDate'),
  {
    ...parameter('about-kind', 'composite', ['Observation'], 'Observation'),
    component: [
      { definition: 'http://example.org/about', expression: 'subject' },
      { definition: 'http://example.org/kind', expression: 'code' },
    ],
  },
];

function parameter(id: string, type: string, base: readonly string[], expression: string, more: object = {}): Resource {
  const name = id.replaceAll('-', '');
  const about = { name, description: 'Of a test.', status: 'active', code: id };
  return {
    resourceType: 'SearchParameter',
    id,
    url: `http://example.org/${id}`,
    ...about,
    type,
    base,
    expression,
    ...more,
  };
}
