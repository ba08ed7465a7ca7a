import * as fc from 'fast-check';
import { ucumSystem } from '../../src/fhir/ucum.ts';
import type { IndexEntry } from '../../src/indexing/entry.ts';
import { supersetOf } from '../../src/interaction/search/candidates.ts';
import type { ResourceType } from '../../src/model/model.ts';
import type { Query, Sort } from '../../src/search/ast.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import { simplify } from '../../src/search/simplify.ts';
import {
  canonical,
  context,
  date,
  entry,
  number,
  position,
  quantity,
  reference,
  text,
  token,
  typed,
  words,
} from './thing.ts';

/** Random entries and random queries of the made-up type, from small vocabularies, so that they often meet. */

const codes = ['a', 'A', 'ab', 'b', 'Éa', 'x|y', '1'];
const systems = [undefined, 'http://s', 'http://s/', 'http://exact'];
const names = ['Ann', 'ann', 'Anna', 'Jo-Ann', 'Éloïse', 'a,b', '---', '\u{1f600}x', '\uffee', 'ann%', 'a_n', 'Straße'];
const ids = ['1', '2', 'A', 'a', 'a-1', 'a.1'];
const urls = ['http://a', 'http://a/', 'http://A', 'urn:uuid:1'];
const trees = [
  'http://a',
  'http://a/',
  'http://a/b',
  'http://a/b/',
  'http://a/b/c',
  'http://a/bc',
  'http://A/b',
  'http://a//b',
];
const days = [
  '2019',
  '2020',
  '2020-02',
  '2020-02-29',
  '2020-03-08T02:30',
  '2020-02-29T10:00:00Z',
  '2020-02-29T10:00:00.5Z',
  '2020-02-29T10:00:00.5000001Z',
  '2020-02-29T10:00:00.500001Z',
];
const dates = [
  ...days,
  '2020-02-28..2020-03-02',
  '..2020-02',
  '2020..',
  '2019-06..2020-06',
  '2020-02-29T09:00Z..2020-02-29T10:00Z',
];
const born = ['1980', '1980-01', '1980-01-01', '1980-01-02', '1979-12-31', '2020-02-29'];
const points = [-1, 0, 0.1, 5.35, 5.4, 5.449, 5.45, 99.5, 100, 100.5, 1e9];
const units = [undefined, 'mg', 'g', 'kg', 'mL', 'milligram'];

const latitudes = [-90, -89.99, -45, 0, 0.05, 43.65, 43.7, 90];
const longitudes = [-180, -179.99, -79.38, -79.3, 0, 0.05, 179.95, 180];

const unsearchable = [
  'name',
  'code',
  'phone',
  'subject',
  'focus',
  'plan',
  'date',
  'score',
  'size',
  'position',
  'sound',
  'patient',
  'kind',
  'identifier',
  'author',
  'link',
];

const several = <T>(one: fc.Arbitrary<T>, most = 3): fc.Arbitrary<T[]> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constant<T[]>([]) },
    { weight: 3, arbitrary: fc.array(one, { maxLength: most }) },
  );
const pick = fc.constantFrom;

const anyToken = fc
  .tuple(pick(...systems), pick(...codes, undefined), pick(undefined, undefined, 'Été', 'zz'))
  .filter(([system, code]) => system !== undefined || code !== undefined)
  .map(([system, code, display]) => ({ ...token(system, code), ...(display === undefined ? {} : { display }) }));
/** Below which references are the same as relative ones. */
const { base: ours } = context;
const ourReference = (...types: readonly string[]) =>
  fc
    .tuple(pick(...types), pick(...ids), pick(undefined, ours, 'https://elsewhere.example/r4/demo'))
    .map(([type, id, base]) => (base === undefined ? reference(type, id) : canonical(`${base}/${type}/${id}`)));
const anyReference = fc.oneof(
  ourReference('Patient', 'Group', 'Device'),
  pick(...urls).map(url => canonical(url)),
);
const anyCanonical = fc
  .tuple(pick(...urls, ...trees), pick(undefined, '1', '1.0', '1.0.1'))
  .map(([url, version]) => canonical(url, version));
const forms = ['Questionnaire/1', 'https://example.org/r4/demo/Questionnaire/1', 'Questionnaire/a', '#1'];
const anyForm = fc.tuple(pick(...forms), pick(undefined, '1')).map(([url, version]) => canonical(url, version));
const anyNumber = fc.oneof(
  pick(...points).map(value => number(value)),
  fc.tuple(pick(...points), pick(...points)).map(([a, b]) => number(Math.min(a, b), Math.max(a, b))),
);
/** 72 a minute are 4320 an hour. */
const rates: readonly (readonly [number, string])[] = [
  [72, '/min'],
  [4320, '/h'],
  [1.2, '/s'],
  [72, '/h'],
  [73, '/min'],
];
const anyRate = pick(...rates).map(([value, code]) => quantity(value, ucumSystem, code, code));
const anyAmount = fc
  .tuple(pick(...points), pick(undefined, 'http://u', 'http://v', ucumSystem), pick(...units), pick(...units))
  .map(([value, system, code, unit]) => quantity(value, system, code, unit));
const anyQuantity = fc.oneof({ weight: 3, arbitrary: anyAmount }, { weight: 1, arbitrary: anyRate });
const typeSystems = ['http://s', 'http://exact'];
const anyTyped = fc
  .tuple(
    fc.array(fc.tuple(pick(...typeSystems), pick('MR', 'mr', 'SS')), { minLength: 1, maxLength: 2 }),
    pick('1', '12', 'A'),
  )
  .map(([types, value]) => typed(types, value));
const anyTuple = fc
  .tuple(fc.array(anyToken, { maxLength: 2 }), fc.array(anyQuantity, { maxLength: 2 }))
  .map(([a, b]) => ({ kind: 'composite' as const, of: [a, b] }));

const anyWord = pick('chest', 'pain', 'Chest', 'painful', 'été', 'ete', 'a', '5', '胸', 'O’Brien');
const anyWords = fc
  .array(fc.array(anyWord, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 2 })
  .map(texts => words(...texts.map(text => text.join(' '))));

/** The entries of one resource. */
export const anyEntries: fc.Arbitrary<readonly IndexEntry[]> = fc
  .record({
    name: several(pick(...names).map(text)),
    code: several(anyToken),
    status: several(
      pick(...codes).map(code => token('http://exact', code)),
      1,
    ),
    active: several(
      pick('true', 'false').map(code => token(undefined, code)),
      1,
    ),
    phone: several(
      pick('4165550123', 'ann@example.org', '911').map(code => token(undefined, code)),
      2,
    ),
    url: several(pick(...urls).map(uri => ({ kind: 'uri' as const, uri }))),
    patient: several(ourReference('Patient'), 2),
    subject: several(anyReference, 2),
    focus: several(anyReference),
    plan: several(anyCanonical),
    form: several(anyForm, 1),
    born: several(
      pick(...born).map(day => date(day, 'UTC')),
      1,
    ),
    date: several(pick(...dates).map(written => date(written))),
    when: several(
      pick(...days).map(written => date(written)),
      2,
    ),
    site: several(
      pick(...urls).map(url => token(undefined, url)),
      2,
    ),
    score: several(anyNumber),
    size: several(anyQuantity),
    'code-size': several(anyTuple),
    source: several(
      pick(...trees).map(uri => ({ kind: 'uri' as const, uri })),
      2,
    ),
    kind: several(anyToken),
    'kind:text': several(pick(...names).map(text)),
    identifier: several(anyToken),
    'identifier:text': several(pick(...names).map(text), 1),
    'identifier:ofType': several(anyTyped, 2),
    sound: several(pick('jn', 'an', 'sm0', 'xmt', '胸').map(text), 2),
    remark: several(pick(...names).map(text)),
    'remark:text': several(anyWords, 1),
    narrative: several(anyWords, 1),
    author: several(ourReference('Patient', 'Group'), 2),
    'author:identifier': several(anyToken, 2),
    link: several(fc.oneof(anyReference, anyCanonical), 2),
    position: several(
      fc.tuple(pick(...latitudes), pick(...longitudes)).map(([a, b]) => position(a, b)),
      2,
    ),
  })
  .chain(record =>
    // Some parameters have values without entries.
    fc
      .tuple(fc.constant(record), fc.subarray(unsearchable, { maxLength: 8 }))
      .map(([known, bare]) =>
        Object.entries(known).flatMap(([param, values]) =>
          values.length === 0 && bare.includes(param)
            ? [entry(param, { kind: 'unsearchable' })]
            : values.map(value => entry(param, value)),
        ),
      ),
  );

const prefix = pick('', 'eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap');
const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map(all => all.join(''));
const escaped = (values: readonly string[]): fc.Arbitrary<string> =>
  pick(...values.map(value => value.replace(/[\\,|$]/g, '\\$&')));
const list = (one: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.array(one, { minLength: 1, maxLength: 3 }).map(all => all.join());

const aToken = fc.oneof(
  escaped(codes),
  joined(pick('|', 'http://s|', 'http://exact|'), escaped(codes)),
  pick('http://s|', 'http://exact|'),
);
const aNumber = joined(prefix, pick(...points.map(String), '5.40', '1e2', '5.4e0', '0.0054', '5400', '5.4e-6'));
const ofUcum = ['mg', 'g', 'kg', 'L', 'milligram', ''].map(unit => `|${ucumSystem}|${unit}`);
const aRate = joined(
  prefix,
  pick('72', '4320', '1.2', '73', '72.5'),
  pick('/min', '/h', '/s').map(unit => `|${ucumSystem}|${unit}`),
);
const anAmount = joined(
  aNumber,
  pick('', '||mg', '||milligram', '|http://u|mg', '|http://u|', '|http://v|kg', ...ofUcum),
);

const aQuantity = fc.oneof({ weight: 3, arbitrary: anAmount }, { weight: 1, arbitrary: aRate });

const aPhrase = fc.array(pick('chest', 'Pain', 'été', 'a', '5', '胸', 'obrien'), { minLength: 2, maxLength: 3 });
const aText = fc
  .array(
    fc.oneof(
      pick('chest', 'PAIN', 'pai*', 'ch*', 'ete', '胸*', "O'Brien", 'chest-pain', 'nothing', 'a', '5*'),
      aPhrase.map(words => `"${words.join(' ')}"`),
      aPhrase.map(words => `"${words.join(' ')}*"`),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(parts => parts.join(' '));

const vs = (name: string): string => `http://vs/${name}`;

const literals: readonly (readonly [name: string, value: fc.Arbitrary<string>])[] = [
  ['name', escaped(['a', 'an', 'ANN', 'jo ann', 'elo', 'a,b', '-', '\u{1f600}', 'strass'])],
  ['name:contains', escaped(['n', 'ann', 'o a', '%', '_', '\uffee'])],
  ['name:exact', escaped(names)],
  ['code', aToken],
  ['code:not', aToken],
  ['status', pick('a', 'A', 'b', 'c')],
  ['active', pick('true', 'false')],
  ['phone', pick('(416) 555-0123', '911', 'Ann@example.org')],
  ['url', pick(...urls)],
  ['patient', fc.oneof(pick(...ids), joined(pick('Patient/'), pick(...ids)), pick(...urls.slice(3)))],
  ['subject', fc.oneof(pick(...ids), joined(pick('Patient/', 'Group/'), pick(...ids)), pick(...urls.slice(3)))],
  ['focus', fc.oneof(pick(...ids), joined(pick('Patient/', 'Device/'), pick(...ids)), pick(...urls.slice(3)))],
  ['plan', joined(pick(...urls), pick('', '|1', '|1.0'))],
  ['plan:below', pick(...trees, 'http://a|1', 'http://a/|1.0', 'http://a/b|1', 'urn:uuid:1|1')],
  ['plan:above', pick(...trees)],
  ['form', joined(pick('1', 'a', 'A', ...forms.slice(0, 3)), pick('', '|1'))],
  ['born', joined(prefix, pick(...born))],
  ['date', joined(prefix, pick(...days))],
  ['when', joined(prefix, pick(...days))],
  ['site', pick(...urls)],
  ['score', aNumber],
  ['size', aQuantity],
  ['code-size', joined(aToken, pick('$'), aQuantity)],
  ['source', pick(...trees)],
  ['source:below', pick(...trees)],
  ['source:above', pick(...trees)],
  ['kind', aToken],
  ...['kind:in', 'kind:not-in'].map(
    name => [name, pick('listed', 'system', 'filtered', 'imported', 'united', 'empty', 'published').map(vs)] as const,
  ),
  ...['kind:above', 'kind:below'].map(
    name => [name, joined(pick('http://s|', 'http://exact|'), pick('a', 'ab', 'b'))] as const,
  ),
  ['kind:text', escaped(['a', 'an', 'ANN', 'jo ann', 'elo', '-', 'x'])],
  ['identifier', aToken],
  ['identifier:text', escaped(['a', 'an', 'strass'])],
  ['identifier:of-type', joined(pick(...typeSystems.map(one => `${one}|`)), pick('MR|', 'mr|'), pick('1', '12', 'a'))],
  ['author', joined(pick('Patient/', 'Group/'), pick(...ids))],
  ['author:Patient', pick(...ids)],
  ['author:Group', pick(...ids)],
  ['author:identifier', aToken],
  ['link', fc.oneof(pick(...ids), joined(pick('Patient/', 'Device/'), pick(...ids)), pick(...urls.slice(3)))],
  ['link:Patient', pick(...ids)],
  [
    'position',
    joined(
      pick(...latitudes.map(String)),
      pick(...longitudes.map(one => `|${one}`)),
      pick('', '|0', '|1', '|7', '|500|m', '|20000'),
    ),
  ],
  ['narrative', aText],
  ['sound', pick('jon', 'Smyth', 'Jon Smith', 'Ann', '胸')],
  ['remark', escaped(['a', 'an', 'strass'])],
  ['remark:text', aText],
  ['_id', joined(pick('r'), fc.nat(60).map(String))],
];
const missing = literals
  .map(([name]) => name)
  .filter(name => !name.includes(':') && name !== 'code-size')
  .map(name => [`${name}:missing`, pick('true', 'false')] as const);

/** One parameter, read by the parser; `instants` are times of last update that there are. */
const leaf = (type: ResourceType, instants: readonly number[]): fc.Arbitrary<Query> => {
  const updated = joined(prefix, pick(...instants.map(time => new Date(time).toISOString())));
  const pairs = fc.oneof(
    ...literals.map(([name, value]) => fc.tuple(fc.constant(name), list(value))),
    ...missing.map(([name, value]) => fc.tuple(fc.constant(name), value)),
    fc.tuple(fc.constant('_lastUpdated'), list(updated)),
  );
  // The presence of every kind of value, also of composites and of the values of modifiers.
  const present = pick(...type.indexed.values().filter(({ code }) => code !== 'near')).map((one): Query => ({
    kind: 'present',
    param: one,
  }));
  // No client asks for the beginning of a URI; the index of contained resources is read so.
  const param = type.indexed.get('source');
  const begins = pick('h', ...trees, 'http://a/b/cd').map((uri): Query => {
    if (param === undefined) throw new Error('The type has no parameter `source`');
    return { kind: 'param', param, test: { kind: 'uri', uri, tree: 'starts' } };
  });
  // Stores are asked for an area around a position; interaction/search/ decides its distance.
  const parsed = pairs.map(pair =>
    supersetOf(parseSearch(type, [pair], { ...context, now: Date.UTC(2021, 0, 1), joins: true }).query, context.base),
  );
  // `ne` of `_filter` is a test of stores.
  const otherCode = fc
    .tuple(pick('code', 'status', 'kind'), fc.array(aToken, { minLength: 1, maxLength: 2 }))
    .chain(([name, values]) => {
      const filter = values.map(value => `${name} ne ${JSON.stringify(value)}`).join(' and ');
      return fc.constant([['_filter', filter] as const]);
    })
    .map(given => supersetOf(parseSearch(filtered(type), given, { ...context, joins: true }).query, context.base));
  return fc.oneof(
    { weight: 60, arbitrary: parsed },
    { weight: 1, arbitrary: begins },
    { weight: 2, arbitrary: present },
    { weight: 2, arbitrary: otherCode },
  );
};

/** The type with `_filter`. */
const filtered = (type: ResourceType): ResourceType => ({ ...type, searchFeatures: new Set(['filter']) });

/** A query as the parser makes them, or one that only a rule could make, simplified or not. */
export const anyQuery = (type: ResourceType, instants: readonly number[]): fc.Arbitrary<Query> => {
  const one = leaf(type, instants);
  const { query } = fc.letrec<{ query: Query }>(tie => ({
    query: fc.oneof(
      { maxDepth: 3 },
      one,
      fc.record({ kind: pick('and' as const, 'or' as const), of: fc.array(tie('query'), { maxLength: 3 }) }),
      fc.record({ kind: fc.constant('not' as const), of: tie('query') }),
    ),
  }));
  const conjunction = fc.array(one, { minLength: 1, maxLength: 3 }).map((of): Query => ({ kind: 'and', of }));
  return fc.oneof(
    { weight: 3, arbitrary: conjunction.map(simplify) },
    { weight: 1, arbitrary: query },
    { weight: 1, arbitrary: query.map(simplify) },
  );
};

const sorts = [
  '',
  '',
  '',
  '_id',
  '-_id',
  '_lastUpdated',
  '-_lastUpdated',
  'date',
  '-date',
  'born',
  '-born',
  'born,-date',
  '-date,_id',
  '-_lastUpdated,born',
  'born,_lastUpdated',
];

/** By one to three of all parameters, with and without a sort index. */
const anyKeys = fc
  .uniqueArray(
    fc.tuple(
      pick(
        'name',
        'code',
        'status',
        'phone',
        'url',
        'patient',
        'subject',
        'focus',
        'plan',
        'score',
        'size',
        'date',
        '_id',
      ),
      pick('', '-'),
    ),
    { minLength: 1, maxLength: 3, selector: ([code]) => code },
  )
  .map(keys => keys.map(([code, direction]) => direction + code).join());

const byScore = (type: ResourceType): fc.Arbitrary<readonly Sort[]> =>
  fc.tuple(pick('narrative', 'remark:text'), aText, fc.boolean()).map(([name, text, descending]) => [
    { by: 'score', of: parseSearch(type, [[name, text]], context).query, descending },
    { by: 'id', descending: false },
  ]);

export const anySort = (type: ResourceType): fc.Arbitrary<readonly Sort[]> =>
  fc.oneof({ weight: 8, arbitrary: byParameters(type) }, { weight: 1, arbitrary: byScore(type) });

const byParameters = (type: ResourceType): fc.Arbitrary<readonly Sort[]> =>
  fc.oneof(pick(...sorts), anyKeys).map(sort => parseSearch(type, sort === '' ? [] : [['_sort', sort]], context).sort);
