import { each, type JoinCase } from './join-cases.ts';

const base = '/r4/demo';
const page = '_count=20';

/** Budgets of full-text searches, beside searches for the same records by codes and references. */
export const wordCases: readonly JoinCase[] = [
  {
    name: 'Observation?_content="patient id"',
    most: 6,
    requests: ({ patients }) =>
      each(patients, async id => ({
        path: `${base}/Observation?_content=${encodeURIComponent(`"${id}"`)}&${page}`,
        plain: [`${base}/Observation?patient=${id}&${page}`],
      })),
  },
  {
    name: 'Observation?_content=frequent word',
    most: 20,
    requests: () =>
      each(['vital', 'laboratory', 'final', 'pressure'], async word => ({
        path: `${base}/Observation?_content=${word}&${page}`,
        plain: [`${base}/Observation?category=vital-signs&${page}`],
      })),
  },
  {
    name: 'Observation?patient&_content=word',
    most: 6,
    requests: ({ patients }) =>
      each(patients, async id => ({
        path: `${base}/Observation?patient=${id}&_content=pressure&${page}`,
        plain: [`${base}/Observation?patient=${id}&${page}`],
      })),
  },
];
