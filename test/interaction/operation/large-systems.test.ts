// https://hl7.org/fhir/R4/terminology-service.html
// A code system whose concepts are in the store answers as the same one does that is sent with the call.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { csvRows } from '../../../src/bulk/code-systems/csv.ts';
import { conceptsOfCsv } from '../../../src/bulk/code-systems/from-csv.ts';
import type { CsvSystem } from '../../../src/bulk/code-systems/from-csv.ts';
import { conceptsOfLoinc } from '../../../src/bulk/code-systems/from-loinc.ts';
import { conceptsOfRf2 } from '../../../src/bulk/code-systems/from-rf2.ts';
import type { ReleaseFolder } from '../../../src/bulk/code-systems/from-rf2.ts';
import { headsOf } from '../../../src/terminology/large/layout.ts';
import { removeSystem, writeSystem } from '../../../src/terminology/large/write.ts';
import type { LoadedConcept } from '../../../src/terminology/large/write.ts';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { parameters, post } from './support.ts';

type Json = Record<string, unknown>;

const url = 'http://example.org/CodeSystem/large';
const same = 'http://example.org/CodeSystem/same';
const words = ['heart', 'lung', 'chronic', 'acute', 'pain', 'left', 'right'];

/** A row of the file: parents before it, some of them several. */
function rowOf(at: number): Json {
  const parents = at === 0 ? [] : [...new Set([Math.floor(at / 3), Math.floor(at / 5), at % 7 === 0 ? at - 1 : 0])];
  return {
    code: `c${at}`,
    display: `${words[at % 7]!} "${words[(at * 3) % 5]!}", ${at}`,
    definition: at % 4 === 0 ? `The ${at}th` : '',
    parent: parents.map(parent => `c${parent}`).join('|'),
    status: at % 10 === 3 ? 'retired' : 'active',
    'designation:fr': at % 3 === 0 ? `coeur ${at}` : '',
    kind: at % 6 === 5 ? '' : `k${at % 6}`,
  };
}
const rows = Array.from({ length: 400 }, (_, at) => rowOf(at));
const names = Object.keys(rows[0]!);
const csv = [names, ...rows.map(row => names.map(name => row[name]))]
  .map(cells => cells.map(cell => `"${String(cell).replaceAll('"', '""')}"`).join(','))
  .join('\r\n');

/** The same system as a resource. */
const resource = (concepts: readonly LoadedConcept[]): Json => ({
  resourceType: 'CodeSystem',
  url: same,
  version: '1',
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  property: [
    { code: 'kind', type: 'string' },
    { code: 'status', uri: 'http://hl7.org/fhir/concept-properties#status', type: 'code' },
  ],
  concept: concepts.map(({ code, display, definition, designations, properties, parents }) => ({
    code,
    display,
    ...(definition === undefined ? {} : { definition }),
    ...(designations.length === 0 ? {} : { designation: designations }),
    property: [...properties, ...parents.map(valueCode => ({ code: 'parent', valueCode }))],
  })),
});

async function* texts(text: string): AsyncIterable<string> {
  for (let at = 0; at < text.length; at += 997) yield text.slice(at, at + 997); // cells are cut
}

const folderOf = (files: Readonly<Record<string, string>>): ReleaseFolder => ({
  paths: Object.keys(files),
  rows: (path, separator) => csvRows(texts(files[path]!), separator),
});
const write = async (canonical: string, { properties, concepts: read }: CsvSystem): Promise<void> => {
  const valueSet = canonical === 'http://loinc.org' ? { valueSet: 'http://loinc.org/vs' } : {};
  const system = {
    resourceType: 'CodeSystem',
    url: canonical,
    status: 'active',
    content: 'complete',
    property: properties,
    ...valueSet,
  };
  const { store } = server.running.engine;
  await writeSystem(store, 'demo', { url: canonical, version: undefined, resource: system }, read, () => undefined);
};

let server: Served;
let concepts: LoadedConcept[];
const load = async (text: string, version = '1'): Promise<void> => {
  const { properties, concepts: read } = await conceptsOfCsv(csvRows(texts(text)));
  const system = {
    resourceType: 'CodeSystem',
    url,
    version,
    status: 'active',
    content: 'complete',
    property: properties,
  };
  const { store } = server.running.engine;
  await writeSystem(store, 'demo', { url, version, resource: system }, read, () => undefined);
};

beforeAll(async () => {
  server = await serve([], ['--interface', 'r4', '--max-body', '8388608']);
  concepts = [];
  const { concepts: read } = await conceptsOfCsv(csvRows(texts(csv)));
  for await (const one of read) concepts.push(one);
  await load(csv);
});
afterAll(() => server.close());

const call = (path: string, ...given: object[]): Promise<Answer> => post(server, path, parameters(...given));
const sent = (): object => ({ name: 'tx-resource', resource: resource(concepts) });

const expand = (system: string, include: Json, more: readonly object[], compose: Json = {}): Promise<Answer> =>
  call(
    '/ValueSet/$expand',
    {
      name: 'valueSet',
      resource: {
        resourceType: 'ValueSet',
        status: 'active',
        compose: { include: [{ system, ...include }], ...compose },
      },
    },
    ...more,
    ...(system === same ? [sent()] : []),
  );

/** What an expansion says, but for the name of the system. */
function said({ status, json }: Answer): unknown {
  if (status !== 200) return [status, json.issue[0].code];
  const text = JSON.stringify([json.expansion.total, json.expansion.contains ?? []]);
  return JSON.parse(text.replaceAll(same, url));
}

const filter = (op: string, value: string, property = 'concept'): Json => ({ filter: [{ property, op, value }] });
const count = (given: number, offset = 0): readonly object[] => [
  { name: 'count', valueInteger: given },
  { name: 'offset', valueInteger: offset },
];
const includes: readonly (readonly [what: string, include: Json])[] = [
  ['all codes', {}],
  ['is-a', filter('is-a', 'c4')],
  [
    'is-a of several',
    { filter: [...(filter('is-a', 'c4')['filter'] as Json[]), ...(filter('=', 'k2', 'kind')['filter'] as Json[])] },
  ],
  ['descendent-of', filter('descendent-of', 'c4')],
  ['is-not-a', filter('is-not-a', 'c1')],
  ['generalizes', filter('generalizes', 'c399')],
  ['child-of', filter('child-of', 'c4')],
  ['descendent-leaf', filter('descendent-leaf', 'c4')],
  ['= of a property', filter('=', 'k3', 'kind')],
  ['in', filter('in', 'k1,k4', 'kind')],
  ['not-in', filter('not-in', 'k1,k4', 'kind')],
  ['exists', filter('exists', 'true', 'kind')],
  ['exists=false', filter('exists', 'false', 'kind')],
  ['regex of a property', filter('regex', 'k[12]', 'kind')],
  ['regex of codes', filter('regex', 'c1.', 'code')],
  ['a status', filter('=', 'retired', 'status')],
  ['inactive', filter('=', 'true', 'inactive')],
  ['an unknown property', filter('=', 'x', 'unknown')],
  ['listed codes', { concept: [{ code: 'c5' }, { code: 'none' }, { code: 'c7', display: 'Seven' }] }],
];

describe('a code system in the store', () => {
  it.each(includes)('expands %s', async (_what, include) => {
    const asked: readonly (readonly object[])[] = [
      [],
      count(7, 3),
      [...count(5), { name: 'filter', valueString: 'hea' }],
      [...count(5, 1), { name: 'filter', valueString: 'coe 1' }, { name: 'activeOnly', valueBoolean: true }],
      [
        { name: 'excludeNested', valueBoolean: true },
        { name: 'displayLanguage', valueCode: 'fr' },
      ],
      [...count(9), { name: 'property', valueString: 'kind' }, { name: 'includeDesignations', valueBoolean: true }],
      [...count(9), { name: 'excludeNotForUI', valueBoolean: true }],
    ];
    for (const more of asked)
      expect(said(await expand(url, include, more))).toEqual(said(await expand(same, include, more)));
  });

  it('expands what is excluded', async () => {
    for (const more of [[], count(5, 200)]) {
      const without = (system: string) => expand(system, {}, more, { exclude: [{ system, ...filter('is-a', 'c4') }] });
      expect(said(await without(url))).toEqual(said(await without(same)));
    }
  });

  it('looks up, validates and compares codes', async () => {
    const answers = async (system: string): Promise<unknown> => {
      const more = system === same ? [sent()] : [];
      const code = { name: 'code', valueCode: 'c13' };
      const [a, b] = [
        { name: 'codeA', valueCode: 'c4' },
        { name: 'codeB', valueCode: 'c399' },
      ];
      const found = [
        await call('/CodeSystem/$lookup', { name: 'system', valueUri: system }, code, ...more),
        await call(
          '/CodeSystem/$lookup',
          { name: 'system', valueUri: system },
          { name: 'code', valueCode: 'x' },
          ...more,
        ),
        await call(
          '/CodeSystem/$validate-code',
          { name: 'url', valueUri: system },
          code,
          { name: 'display', valueString: 'wrong' },
          ...more,
        ),
        await call('/CodeSystem/$subsumes', { name: 'system', valueUri: system }, a, b, ...more),
        await call('/CodeSystem/$subsumes', { name: 'system', valueUri: system }, b, a, ...more),
        await call(
          '/ValueSet/$validate-code',
          { name: 'coding', valueCoding: { system, code: 'c13' } },
          {
            name: 'valueSet',
            resource: {
              resourceType: 'ValueSet',
              url: 'http://v',
              status: 'active',
              compose: { include: [{ system, ...filter('=', 'k1', 'kind') }] },
            },
          },
          ...more,
        ),
      ];
      const bodies = found.map(({ status, json }) => ({ status, json: json as unknown }));
      return JSON.parse(
        JSON.stringify(bodies).replaceAll(same, url).replaceAll('"name":"name","valueString"', '"name"'),
      );
    };
    expect(await answers(url)).toEqual(await answers(same));
  });

  it('is searched by', async () => {
    const valueSet = { resourceType: 'ValueSet', id: 'of-large', url: 'http://example.org/of-large', status: 'active' };
    const compose = { include: [{ system: url, ...filter('is-a', 'c4') }] };
    const put = (path: string, body: object) =>
      server.ask('PUT', path, { headers: { 'Content-Type': 'application/fhir+json' }, body: JSON.stringify(body) });
    expect((await put('/ValueSet/of-large', { ...valueSet, compose })).status).toBe(201);
    for (const code of ['c4', 'c399', 'c2']) {
      const observation = {
        resourceType: 'Observation',
        id: code,
        status: 'final',
        code: { coding: [{ system: url, code }] },
      };
      expect((await put(`/Observation/${code}`, observation)).status).toBe(201);
    }
    const ids = async (query: string): Promise<string> => {
      const { status, json } = await server.get(`/Observation?${query}&_sort=_id`);
      return status === 200
        ? (json.entry ?? []).map((one: { resource: { id: string } }) => one.resource.id).join(' ')
        : String(status);
    };
    expect(await ids('code:in=http://example.org/of-large')).toBe('c399 c4');
    expect(await ids('code:in=ValueSet/of-large')).toBe('c399 c4');
    expect(await ids('code:not-in=ValueSet/of-large')).toBe('c2');
    expect(await ids(`code:below=${url}|c1`)).toBe('c399 c4');
    expect(await ids(`code:above=${url}|c399`)).toBe('c2 c399 c4');
    expect(await ids(`code:below=${url}|none`)).toBe('400');
    expect(await ids('code:in=ValueSet/none')).toBe('400');
  });

  it('is listed by metadata?mode=terminology', async () => {
    const { json } = await server.get('/metadata?mode=terminology');
    expect(json.codeSystem).toContainEqual({ uri: url, version: [{ code: '1', isDefault: true }], subsumption: true });
  });

  it('is replaced as a whole, and a file with a mistake changes nothing', async () => {
    const { store } = server.running.engine;
    const lookup = async (code: string) =>
      (await server.get(`/CodeSystem/$lookup?system=${url}&version=2&code=${code}`)).status;
    await load('code,parent\na,\nb,a\n', '2');
    expect([await lookup('b'), await lookup('c')]).toEqual([200, 404]);
    for (const [text, problem] of [
      ['code,parent\na,\nb,a\na,\n', 'The code `a` of line 4 is that of line 2 too.'],
      ['code,parent\na,b\n', 'The parent `b` of line 2 is not a code of the file.'],
      ['code,parent\na,b\nb,a\n', 'above itself'],
      ['display\nx\n', 'no column `code`'],
      ['code,code\nx,y\n', 'is there twice'],
      ['code,status\nx,old\n', 'write `active`, `retired` or `deprecated`'],
      ['code\n x\n', 'no valid code'],
      ['code\nx,y\n', 'The line 2 has 2 cells'],
      ['code\n"x\n', 'does not end'],
      ['', 'The file is empty'],
    ] as const)
      await expect(load(text, '2')).rejects.toThrow(problem);
    expect([await lookup('b'), await lookup('c')]).toEqual([200, 404]);
    await load('code,display\nc,"C, ""quoted""\nin two lines"\n', '2');
    expect([await lookup('b'), await lookup('c')]).toEqual([404, 200]);
    const { json } = await server.get(`/CodeSystem/$lookup?system=${url}&version=2&code=c`);
    expect(json.parameter).toContainEqual({ name: 'display', valueString: 'C, "quoted"\nin two lines' });
    expect(await removeSystem(store, 'demo', url, '2')).toBe(true);
    expect([await lookup('c'), await removeSystem(store, 'demo', url, '2')]).toEqual([404, false]);
    const [head] = (await headsOf(store, 'demo')).filter(one => one.url === url);
    const generations = new Set<string>();
    for await (const { key } of store.documents('code-system-parts').list('demo/')) generations.add(key.split('/')[1]!);
    expect([...generations]).toEqual([head?.generation]);
  });

  it('is read from a release of SNOMED CT, with its implicit value sets', async () => {
    const tsv = (...lines: readonly string[]): string => lines.map(line => line.replaceAll(' ; ', '\t')).join('\r\n');
    const folder = folderOf({
      'Snapshot/Terminology/sct2_Concept_Snapshot_INT_20260101.txt': tsv(
        'id ; effectiveTime ; active ; moduleId ; definitionStatusId',
        ...['138875005', '404684003', '22298006', '80891009', '700043003'].map(id => `${id} ; 20260101 ; 1 ; m ; d`),
        '999 ; 20260101 ; 0 ; m ; d',
      ),
      'Snapshot/Terminology/sct2_Description_Snapshot-en_INT_20260101.txt': tsv(
        'id ; effectiveTime ; active ; moduleId ; conceptId ; languageCode ; typeId ; term ; caseSignificanceId',
        '1 ; 20260101 ; 1 ; m ; 22298006 ; en ; 900000000000003001 ; Myocardial infarction (disorder) ; c',
        '2 ; 20260101 ; 1 ; m ; 22298006 ; en ; 900000000000013009 ; Heart "attack" ; c',
        '3 ; 20260101 ; 1 ; m ; 22298006 ; en ; 900000000000013009 ; Myocardial infarction ; c',
        '4 ; 20260101 ; 0 ; m ; 22298006 ; en ; 900000000000013009 ; Old name ; c',
      ),
      'Snapshot/Terminology/sct2_Relationship_Snapshot_INT_20260101.txt': tsv(
        'id ; effectiveTime ; active ; moduleId ; sourceId ; destinationId ; relationshipGroup ; typeId',
        '1 ; 20260101 ; 1 ; m ; 404684003 ; 138875005 ; 0 ; 116680003',
        '2 ; 20260101 ; 1 ; m ; 22298006 ; 404684003 ; 0 ; 116680003',
        '3 ; 20260101 ; 1 ; m ; 22298006 ; 80891009 ; 1 ; 363698007',
        '4 ; 20260101 ; 0 ; m ; 22298006 ; 700043003 ; 0 ; 116680003',
      ),
      'Snapshot/Refset/Content/der2_Refset_SimpleSnapshot_INT_20260101.txt': tsv(
        'id ; effectiveTime ; active ; moduleId ; refsetId ; referencedComponentId',
        'a ; 20260101 ; 1 ; m ; 700043003 ; 22298006',
      ),
      'Snapshot/Refset/Language/der2_cRefset_LanguageSnapshot-en_INT_20260101.txt': tsv(
        'id ; effectiveTime ; active ; moduleId ; refsetId ; referencedComponentId ; acceptabilityId',
        'b ; 20260101 ; 1 ; m ; 900000000000509007 ; 3 ; 900000000000548007',
      ),
    });
    await write('http://snomed.info/sct', await conceptsOfRf2(folder));
    const codes = async (implicit: string): Promise<string> => {
      const { status, json } = await server.get(
        `/ValueSet/$expand?count=9&url=${encodeURIComponent(`http://snomed.info/sct?fhir_vs${implicit}`)}`,
      );
      return status === 200
        ? (json.expansion.contains ?? []).map(({ code }: { code: string }) => code).join(' ')
        : `${status} ${json.issue[0].code}`;
    };
    expect(await codes('')).toBe('138875005 404684003 22298006 80891009 700043003 999');
    expect(await codes('=isa/404684003')).toBe('404684003 22298006');
    expect(await codes('=refset/700043003')).toBe('22298006');
    expect(await codes(`=ecl/${encodeURIComponent('< 138875005 : 363698007 = 80891009')}`)).toBe('22298006');
    expect(await codes(`=ecl/${encodeURIComponent('^ 700043003')}`)).toBe('22298006');
    expect(await codes(`=ecl/${encodeURIComponent('<< 404684003 MINUS 22298006')}`)).toBe('404684003');
    expect(await codes(`=ecl/${encodeURIComponent('nonsense')}`)).toBe('422 invalid');
    const { json } = await server.get(
      '/CodeSystem/$lookup?system=http://snomed.info/sct&code=22298006&property=designation',
    );
    expect(JSON.stringify(json)).toContain('"display","valueString":"Myocardial infarction"');
    expect(JSON.stringify(json)).toContain('Heart \\"attack\\"');
    expect(JSON.stringify(json)).not.toContain('Old name');
  });

  it('is read from a release of LOINC, with the parts above its codes', async () => {
    const folder = folderOf({
      'LoincTable/Loinc.csv':
        '"LOINC_NUM","COMPONENT","CLASS","STATUS","SHORTNAME","LONG_COMMON_NAME"\r\n' +
        '"8480-6","Intravascular systolic","BP","ACTIVE","BP sys","Systolic blood pressure"\r\n' +
        '"1-8","Old","BP","DEPRECATED","",""\r\n',
      'AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv':
        'PATH_TO_ROOT,SEQUENCE,IMMEDIATE_PARENT,CODE,CODE_TEXT\r\n,1,,LP1-1,Pressure\r\nLP1-1,2,LP1-1,8480-6,Systolic\r\n',
      'AccessoryFiles/LinguisticVariants/frCA8LinguisticVariant.csv':
        'LOINC_NUM,LONG_COMMON_NAME\r\n8480-6,Pression systolique\r\n',
    });
    await write('http://loinc.org', await conceptsOfLoinc(folder));
    const expanded = async (query: string): Promise<string> => {
      const { json } = await server.get(`/ValueSet/$expand?${query}`);
      return json.expansion.contains
        .map(({ code, display }: { code: string; display: string }) => `${code} ${display}`)
        .join(', ');
    };
    expect(await expanded('url=http://loinc.org/vs&activeOnly=true&count=9&displayLanguage=fr')).toBe(
      '8480-6 Pression systolique, LP1-1 Pressure',
    );
    expect(await expanded('url=http://loinc.org/vs/LP1-1&excludeNested=true')).toBe(
      '8480-6 Systolic blood pressure, LP1-1 Pressure',
    );
    const bound = await server.get('/ValueSet/$expand?url=http://hl7.org/fhir/ValueSet/observation-codes&count=1');
    expect([bound.status, bound.json.expansion.total]).toEqual([200, 3]);
  });

  it('needs the files of a release', async () => {
    await expect(conceptsOfRf2(folderOf({}))).rejects.toThrow('sct2_Concept_Snapshot');
    await expect(conceptsOfLoinc(folderOf({}))).rejects.toThrow('Loinc.csv');
  });

  it('belongs to its partition', async () => {
    await server.running.engine.store.partitions.add('other', { zone: 'UTC' });
    const path = `/CodeSystem/$lookup?system=${url}&code=c1`;
    expect((await server.get(path)).status).toBe(200);
    expect((await server.get(`//r4/other${path}`)).status).toBe(404);
  });
});
