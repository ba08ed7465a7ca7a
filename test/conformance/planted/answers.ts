import { inBundle, observation, patient, rewritten } from './kinds.ts';
import type { Bundle, Planted } from './kinds.ts';

/** Faults of pages, orders, includes and chains. */
export const answerFaults: readonly Planted[] = [
  {
    kind: 'the order is another',
    areas: ['sort'],
    types: patient,
    found: ['search.sort'],
    answer: inBundle(({ entry }) => entry?.reverse(), /_sort/),
  },
  {
    kind: 'the total is 0',
    areas: ['paging'],
    types: patient,
    found: ['search.total', 'search.summary'],
    answer: inBundle(bundle => (bundle.total = 0)),
  },
  {
    kind: 'a next link leads nowhere',
    areas: ['paging'],
    types: patient,
    found: ['paging.link'],
    answer: inBundle(({ link = [] }) => {
      for (const one of link) if (one.relation === 'next') one.url = one.url.replace('/Patient', '/Nowhere');
    }),
  },
  {
    kind: 'a next link leads to the same page',
    areas: ['paging'],
    types: patient,
    found: ['paging.link', 'paging.once'],
    answer: (given, asked) =>
      inBundle(({ link = [] }) => {
        for (const one of link) if (one.relation === 'next') one.url = one.url.replace(/Patient\?.*/, asked.path);
      })(given, asked),
  },
  {
    kind: 'there is no next link',
    areas: ['paging'],
    types: patient,
    found: ['paging.complete'],
    answer: inBundle(
      bundle => (bundle.link = bundle.link?.filter(({ relation }) => relation !== 'next')),
      /_count=\d\b/,
    ),
  },
  {
    kind: 'pages overlap',
    areas: ['paging'],
    types: patient,
    found: ['paging.once'],
    answer: (() => {
      let last: NonNullable<Bundle['entry']>[number] | undefined;
      return inBundle(({ entry = [] }) => {
        const next = entry.at(-1);
        if (last !== undefined && entry.length > 0) entry[0] = last;
        last = next;
      }, /_page_token|_count=\d\b/);
    })(),
  },
  {
    kind: 'a page is larger than _count',
    areas: ['paging'],
    types: patient,
    found: ['search.count'],
    ...rewritten(/_count=\d+/, '_count=100'),
  },
  {
    kind: 'a record is not included',
    areas: ['include'],
    types: observation,
    found: ['search.include'],
    answer: inBundle(
      bundle => (bundle.entry = bundle.entry?.filter(({ search: { mode } }) => mode === 'match')),
      /_include/,
      'Observation',
    ),
  },
  {
    kind: 'a record without a reference is included',
    areas: ['include'],
    types: observation,
    found: ['search.include'],
    answer: inBundle(
      bundle => {
        const included = bundle.entry?.find(({ search: { mode } }) => mode === 'include');
        if (included === undefined) return;
        const resource = { ...included.resource, id: 'intruder' };
        bundle.entry?.push({ ...included, fullUrl: included.fullUrl.replace(/[^/]+$/, 'intruder'), resource });
      },
      /_include/,
      'Observation',
    ),
  },
  {
    kind: 'a referring record is not included',
    areas: ['include'],
    types: observation,
    found: ['search.revinclude'],
    answer: inBundle(
      bundle => (bundle.entry = bundle.entry?.filter(({ search: { mode } }) => mode === 'match')),
      /_revinclude/,
    ),
  },
  {
    kind: 'a chain is ignored',
    areas: ['chain'],
    types: observation,
    found: ['search.chain'],
    ...rewritten(/(patient|subject):Patient\.[^&]*&?/, '', 'Observation'),
  },
  {
    kind: '_has finds nothing',
    areas: ['chain'],
    types: observation,
    found: ['search.has'],
    answer: inBundle(bundle => (bundle.entry = []), /_has/),
  },
  {
    kind: '_summary=count has entries',
    areas: ['paging'],
    types: patient,
    found: ['search.summary'],
    ...rewritten(/_summary=count/, '_total=accurate'),
  },
  {
    kind: '_elements leaves out what was asked for',
    areas: ['paging'],
    types: patient,
    found: ['search.elements'],
    answer: inBundle(({ entry = [] }) => {
      for (const one of entry) one.resource = { resourceType: 'Patient', id: one.resource.id };
    }, /_elements/),
  },
];
