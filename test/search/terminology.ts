import type { Definition } from '../../src/definitions/definition.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';

const codeSystem = (url: string, concept: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  resourceType: 'CodeSystem',
  url,
  content: 'complete',
  caseSensitive: false,
  concept,
  ...more,
});
const valueSet = (name: string, compose: JsonObject, more: JsonObject = {}): JsonObject => ({
  resourceType: 'ValueSet',
  url: `http://vs/${name}`,
  compose,
  ...more,
});
const numbered = (count: number): readonly JsonObject[] =>
  Array.from({ length: count }, (_, at) => ({ code: `c${at}` }));
const isA = (value: string): readonly JsonObject[] => [{ property: 'concept', op: 'is-a', value }];

/** Code systems and value sets for the tables of search. */
const resources: readonly JsonObject[] = [
  codeSystem('http://s', [{ code: 'a', concept: [{ code: 'ab', concept: [{ code: '1' }] }] }, { code: 'b' }]),
  codeSystem(
    'http://exact',
    [
      { code: 'a' },
      { code: 'A' },
      { code: 'ab', property: [{ code: 'parent', valueCode: 'A' }] },
      { code: 'b', property: [{ code: 'kind', valueString: 'x' }] },
    ],
    { caseSensitive: true },
  ),
  codeSystem('http://part', [{ code: 'a' }], { content: 'fragment' }),
  codeSystem('http://many', numbered(10_001)),
  codeSystem('http://half', numbered(6_000)),
  valueSet('listed', { include: [{ system: 'http://s', concept: [{ code: 'a' }, { code: 'b' }] }] }),
  valueSet('system', {
    include: [{ system: 'http://s' }],
    exclude: [{ system: 'http://s', concept: [{ code: 'b' }] }],
  }),
  valueSet('filtered', { include: [{ system: 'http://exact', filter: isA('A') }] }),
  valueSet('imported', { include: [{ valueSet: ['http://vs/system', 'http://vs/listed'] }] }),
  valueSet('united', { include: [{ valueSet: ['http://vs/listed'] }, { valueSet: ['http://vs/filtered'] }] }),
  valueSet('empty', { include: [{ system: 'http://s' }], exclude: [{ system: 'http://s' }] }),
  valueSet(
    'published',
    { include: [{ system: 'http://unknown' }] },
    {
      expansion: {
        contains: [
          { system: 'http://s/', code: 'A' },
          { abstract: true, contains: [{ system: 'http://s', code: 'b' }] },
        ],
      },
    },
  ),
  valueSet(
    'cut',
    { include: [{ system: 'http://unknown' }] },
    { expansion: { total: 2, contains: [{ system: 'http://s/', code: 'A' }] } },
  ),
  valueSet('unknown', { include: [{ system: 'http://unknown' }] }),
  valueSet('part', { include: [{ system: 'http://part' }] }),
  valueSet('excludes', { include: [{ system: 'http://s' }], exclude: [{ system: 'http://part' }] }),
  valueSet('units', { include: [{ system: 'http://unitsofmeasure.org' }] }),
  valueSet('self', { include: [{ valueSet: ['http://vs/self'] }] }),
  valueSet('filter', { include: [{ system: 'http://s', filter: [{ property: 'kind', op: '=', value: 'x' }] }] }),
  valueSet('pattern', { include: [{ system: 'http://s', filter: [{ property: 'code', op: 'regex', value: '(' }] }] }),
  valueSet('nothing', {}),
  valueSet('many', { include: [{ system: 'http://many' }] }),
  valueSet('half', { include: [{ system: 'http://half' }] }),
];

/** The definitions by canonical, without versions. */
export const terminology = {
  find(resourceType: string, canonical: string): Definition | undefined {
    const found = resources.find(one => one['resourceType'] === resourceType && one['url'] === canonical);
    if (found === undefined) return undefined;
    const place = { file: '', path: '', package: undefined };
    const head = { resourceType, url: canonical, version: undefined, core: false, concrete: undefined };
    return { ...place, ...head, resource: () => found };
  },
  versions(resourceType: string, url: string): readonly Definition[] {
    const found = this.find(resourceType, url);
    return found === undefined ? [] : [found];
  },
  all: () => [],
};
