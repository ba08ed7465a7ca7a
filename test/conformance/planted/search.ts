import { inBundle, inQuery, isSearch, patient, rewritten, search } from './kinds.ts';
import type { Planted } from './kinds.ts';

/** Faults of searches by one parameter. */
export const searchFaults: readonly Planted[] = [
  {
    kind: 'a match is dropped',
    ...search,
    found: ['search.string'],
    answer: inBundle(({ entry }) => entry?.shift(), /family=/),
  },
  {
    kind: 'a record that does not match is added',
    ...search,
    found: ['search.string', 'search.token'],
    answer: inBundle(bundle => {
      const [first] = bundle.entry ?? [];
      if (first === undefined) return;
      const id = 'intruder';
      const resource = { resourceType: 'Patient', id, meta: first.resource['meta'] };
      bundle.entry?.push({ ...first, fullUrl: first.fullUrl.replace(/[^/]+$/, id), resource });
    }, /(family|gender)=/),
  },
  {
    kind: 'the total is one too many',
    ...search,
    found: ['search.total'],
    answer: inBundle(bundle => (bundle.total = (bundle.entry?.length ?? 0) + 1), /gender=/),
  },
  { kind: 'a parameter is forgotten', ...search, found: ['search.token'], ...rewritten(/gender=[^&]*&?/, '') },
  {
    kind: 'a forgotten parameter is not in the self link',
    ...search,
    found: ['search.self'],
    request: inQuery(/gender=[^&]*&?/, ''),
  },
  {
    kind: 'a match has another type',
    ...search,
    found: ['search.entries'],
    answer: inBundle(({ entry = [] }) => {
      for (const { resource } of entry.slice(0, 1)) resource.resourceType = 'Person';
    }, /gender=/),
  },
  {
    kind: 'a search has a wrong Content-Type',
    ...search,
    found: ['negotiation.media-type'],
    answer: (given, asked) => {
      if (isSearch(asked)) given.headers['content-type'] = 'text/plain';
    },
  },
  { kind: 'there is no self link', ...search, found: ['search.self'], answer: inBundle(bundle => (bundle.link = [])) },
  {
    kind: 'a searchset is a collection',
    ...search,
    found: ['search.bundle'],
    answer: inBundle(bundle => (bundle.type = 'collection')),
  },
  {
    kind: 'a search answers no Bundle',
    ...search,
    found: ['search.bundle'],
    answer: (given, asked) => {
      if (isSearch(asked)) given.text = '{"resourceType":"Patient"}';
    },
  },
  {
    kind: 'a declared parameter is refused',
    ...search,
    found: ['search.accepted'],
    request: inQuery(/birthdate=/, 'qzxj='),
  },
  { kind: ':not is ignored', ...search, found: ['modifier.not'], ...rewritten(/:not=/, '=') },
  {
    kind: ':missing is the reverse',
    ...search,
    found: ['modifier.missing'],
    ...rewritten(/:missing=true/, ':missing=false'),
  },
  { kind: ':exact begins with', ...search, found: ['modifier.exact'], ...rewritten(/:exact=/, '=') },
  { kind: ':contains begins with', ...search, found: ['modifier.contains'], ...rewritten(/:contains=/, '=') },
  { kind: 'gt is ge', areas: ['search'], types: patient, found: ['prefix.gt'], ...rewritten(/=gt/, '=ge') },
  { kind: 'le is lt', areas: ['search'], types: patient, found: ['prefix.le'], ...rewritten(/=le/, '=lt') },
  {
    kind: 'prefixes are ignored',
    areas: ['search'],
    types: patient,
    found: ['prefix.lt', 'prefix.ne'],
    ...rewritten(/=(lt|ne)/, '='),
  },
  {
    kind: 'only the first of several values counts',
    ...search,
    found: ['search.or'],
    ...rewritten(/(family=[^,&]*),[^&]*/, '$1'),
  },
  {
    kind: 'a string is compared with case',
    ...search,
    found: ['search.string'],
    answer: inBundle(bundle => (bundle.entry = []), /family=[A-Z]{2}/),
  },
  {
    kind: 'the system of a token is ignored',
    ...search,
    found: ['search.token'],
    ...rewritten(/identifier=http[^|]*\|([^&]+)/, 'identifier=$1'),
  },
  {
    kind: 'a search by POST ignores its form',
    ...search,
    found: ['search.post', 'search.self'],
    request: asked => {
      if (asked.path === 'Patient/_search') asked.body = '';
    },
  },
  {
    kind: 'units are ignored',
    areas: ['search'],
    types: ['Observation'],
    found: ['search.quantity'],
    ...rewritten(/(value-quantity=[^|&]*)\|[^&]*/, '$1', 'Observation'),
  },
  {
    kind: 'a fullUrl names another record',
    ...search,
    found: ['search.full-url'],
    answer: inBundle(({ entry = [] }) => {
      for (const one of entry) one.fullUrl = one.fullUrl.replace(/[^/]+$/, 'another');
    }),
  },
];
