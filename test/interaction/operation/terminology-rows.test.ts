// https://hl7.org/fhir/R4/terminology-service.html
// Each row is a rule of code systems, value sets and maps; the definitions are sent with the calls (`tx-resource`).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { parameters, post } from './support.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], ['--interface', 'r4', '--max-body', '8388608']);
});
afterAll(() => server.close());

type Json = Record<string, unknown>;

interface Nested {
  readonly url: string;
  readonly extension: readonly Json[];
}

interface Translation {
  readonly name: string;
  readonly valueBoolean?: boolean;
  readonly part: readonly { readonly name: string; readonly valueCoding?: { readonly code: string } }[];
}

const property = (code: string, value: Json): Json => ({ code, ...value });
const simpleUrl = 'http://example.org/CodeSystem/simple';
const simple = (more: Json = {}): Json => ({
  resourceType: 'CodeSystem',
  url: simpleUrl,
  version: '0.1.0',
  name: 'Simple',
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  language: 'en',
  property: [
    { code: 'prop', type: 'code' },
    { code: 'status', uri: 'http://hl7.org/fhir/concept-properties#status', type: 'code' },
    { code: 'no-record', uri: 'http://hl7.org/fhir/concept-properties#notSelectable', type: 'boolean' },
    { code: 'like', type: 'Coding' },
  ],
  concept: [
    { code: 'code1', display: 'Display 1', property: [property('prop', { valueCode: 'old' })] },
    {
      code: 'code2',
      display: 'Display 2',
      definition: 'The second',
      designation: [
        { language: 'de', value: 'Anzeige 2' },
        { language: 'fr', value: 'Affichage 2' },
        { use: { system: 'http://example.org/uses', code: 'short' }, value: 'D2' },
      ],
      property: [
        property('prop', { valueCode: 'new' }),
        property('status', { valueCode: 'retired' }),
        property('no-record', { valueBoolean: true }),
        property('like', { valueCoding: { system: 'http://example.org/other', code: 'x' } }),
      ],
      concept: [
        {
          code: 'code2a',
          display: 'Display 2a',
          property: [property('prop', { valueCode: 'new' })],
          concept: [
            { code: 'code2aI', display: 'Display 2aI' },
            { code: 'code2aII', display: 'Display 2aII' },
          ],
        },
        { code: 'code2b', display: 'Display 2b' },
      ],
    },
    { code: 'code3', display: 'Display 3' },
  ],
  ...more,
});
/** A system with parents by property: `d` is below `b` and `c`, which are below `a`. */
const diamond: Json = {
  resourceType: 'CodeSystem',
  url: 'http://example.org/CodeSystem/diamond',
  status: 'active',
  content: 'complete',
  caseSensitive: false,
  valueSet: 'http://example.org/ValueSet/whole-diamond',
  property: [
    { code: 'above', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' },
    { code: 'below', uri: 'http://hl7.org/fhir/concept-properties#child', type: 'code' },
  ],
  concept: [
    { code: 'a', display: 'A' },
    {
      code: 'b',
      display: 'B',
      property: [property('above', { valueCode: 'a' }), property('below', { valueCode: 'd' })],
    },
    { code: 'c', display: 'C', property: [property('above', { valueCode: 'a' })] },
    { code: 'd', display: 'D', property: [property('above', { valueCode: 'c' })] },
  ],
};
const versioned = (version: string): Json => ({
  resourceType: 'CodeSystem',
  url: 'http://example.org/CodeSystem/version',
  version,
  status: 'active',
  content: 'complete',
  concept: [
    { code: 'code1', display: `Display 1 (${version})` },
    { code: `only-${version}`, display: 'Only here' },
  ],
});
const versions = ['1.0.0', '1.2.0', '1.10.0'].map(versioned);
const content = (name: string): Json => ({
  resourceType: 'CodeSystem',
  url: `http://example.org/CodeSystem/${name}`,
  status: 'active',
  content: name,
  concept: [{ code: 'known', display: 'Known' }],
});
const supplement: Json = {
  resourceType: 'CodeSystem',
  url: 'http://example.org/CodeSystem/supplement',
  version: '1',
  status: 'active',
  content: 'supplement',
  supplements: simpleUrl,
  concept: [{ code: 'code1', designation: [{ language: 'es', value: 'Mostrar 1' }] }],
};

let count = 0;
const valueSet = (include: readonly Json[], more: Json = {}, compose: Json = {}): Json => ({
  resourceType: 'ValueSet',
  url: `http://example.org/ValueSet/${(count += 1)}`,
  status: 'active',
  compose: { include, ...compose },
  ...more,
});
const all = { system: simpleUrl };
const filter = (op: string, value: string, of = 'concept'): Json => ({
  ...all,
  filter: [{ property: of, op, value }],
});
const parts = (given: Json): readonly Json[] =>
  Object.entries(given).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(one => part(name, one)),
  );
function part(name: string, value: unknown): Json {
  if (typeof value === 'boolean') return { name, valueBoolean: value };
  if (typeof value === 'number') return { name, valueInteger: value };
  if (typeof value === 'object' && value !== null && 'resourceType' in value) return { name, resource: value };
  if (typeof value === 'object' && value !== null && 'coding' in value) return { name, valueCodeableConcept: value };
  if (typeof value === 'object') return { name, valueCoding: value };
  return { name, valueString: value };
}
const call = (path: string, given: Json, headers: Record<string, string> = {}): Promise<Answer> =>
  post(server, path, parameters(...parts(given)), headers);

interface Item extends Json {
  readonly code: string;
  readonly contains?: readonly Item[];
}

/** Codes, with those below them in brackets; abstract ones with `*`, inactive ones with `-`. */
const printItems = (items: readonly Item[] = []): string =>
  items
    .map(({ code, abstract, inactive, contains }) => {
      const below = contains === undefined ? '' : `(${printItems(contains)})`;
      return `${code}${abstract === true ? '*' : ''}${inactive === true ? '-' : ''}${below}`;
    })
    .join(' ');

/** The codes of an expansion, or the status with the codes of the first issue. */
function printExpansion({ status, json }: Answer): string {
  if (status === 200) return printItems(json.expansion.contains);
  return printProblem(status, json);
}

function printProblem(status: number, json: Answer['json']): string {
  const [issue] = json.issue;
  return [status, issue.code, issue.details?.coding[0].code].filter(Boolean).join(' ');
}

/** The result and the issues: severity, kind and place. */
function printResult({ status, json }: Answer): string {
  if (status !== 200) return printProblem(status, json);
  const named = (name: string) => json.parameter.find((one: Json) => one['name'] === name);
  const issues = (named('issues')?.resource.issue ?? []) as readonly Json[];
  const list = issues.map(({ severity, details, expression }) => {
    const [coding] = (details as { coding: readonly Json[] }).coding;
    return `${String(severity)} ${String(coding?.['code'])}@${(expression as string[] | undefined)?.[0] ?? ''}`;
  });
  return [String(named('result').valueBoolean), ...list].join(', ');
}

const withAll = (given: Json): Json => ({ ...given, 'tx-resource': [simple(), diamond, ...versions, supplement] });
const flat = 'code1 code2*- code2a code2aI code2aII code2b code3';
const tree = 'code1 code2*-(code2a(code2aI code2aII) code2b) code3';

describe('$expand', () => {
  it.each<readonly [row: string, given: Json, expected: string]>([
    ['a whole system is nested', { valueSet: valueSet([all]) }, tree],
    ['excludeNested=false: nested', { valueSet: valueSet([all]), excludeNested: false }, tree],
    ['excludeNested=true: flat', { valueSet: valueSet([all]), excludeNested: true }, flat],
    ['with count it is flat', { valueSet: valueSet([all]), count: 3 }, 'code1 code2*- code2a'],
    ['pages follow each other', { valueSet: valueSet([all]), count: 3, offset: 3 }, 'code2aI code2aII code2b'],
    ['count=0 is the total alone', { valueSet: valueSet([all]), count: 0 }, ''],
    [
      'codes between omitted ones are lifted to the nearest ancestor in the set',
      { valueSet: valueSet([{ ...all }], {}, { exclude: [{ ...all, concept: [{ code: 'code2a' }] }] }) },
      'code1 code2*-(code2aI code2aII code2b) code3',
    ],
    ['activeOnly', { valueSet: valueSet([all]), activeOnly: true }, 'code1 code2a(code2aI code2aII) code2b code3'],
    [
      'activeOnly also removes what the set lists',
      { valueSet: valueSet([{ ...all, concept: [{ code: 'code2' }, { code: 'code3' }] }]), activeOnly: true },
      'code3',
    ],
    [
      'compose.inactive=false removes inactive codes, also listed ones',
      { valueSet: valueSet([{ ...all, concept: [{ code: 'code2' }, { code: 'code3' }] }], {}, { inactive: false }) },
      'code3',
    ],
    [
      'compose.inactive absent includes them',
      { valueSet: valueSet([{ ...all, concept: [{ code: 'code2' }, { code: 'code3' }] }]) },
      'code2*- code3',
    ],
    [
      'a listed code that the system does not have is left out',
      { valueSet: valueSet([{ ...all, concept: [{ code: 'code1' }, { code: 'code1x' }] }]) },
      'code1',
    ],
    ['excludeNotForUI', { valueSet: valueSet([all]), excludeNotForUI: true, count: 9 }, flat.replace('code2*- ', '')],
    ['exclude-system', { valueSet: valueSet([all]), 'exclude-system': simpleUrl }, ''],
    [
      'words begin words of the display',
      { valueSet: valueSet([all]), filter: 'disp 2a', count: 9 },
      'code2a code2aI code2aII',
    ],
    ['words of designations', { valueSet: valueSet([all]), filter: 'anz', count: 9 }, 'code2*-'],
    ['no match', { valueSet: valueSet([all]), filter: 'xyz' }, ''],
    ['an unknown url', { url: 'http://example.org/none' }, '404 not-found not-found'],
    ['an unknown system', { valueSet: valueSet([{ system: 'http://none' }]) }, '422 not-found not-found'],
    ['an unknown import', { valueSet: valueSet([{ valueSet: ['http://none'] }]) }, '422 not-found not-found'],
    [
      'an exclude of an unknown system',
      { valueSet: valueSet([all], {}, { exclude: [{ system: 'http://none' }] }) },
      '422 not-found not-found',
    ],
    [
      'a set with an expansion and no compose',
      {
        valueSet: {
          resourceType: 'ValueSet',
          status: 'active',
          expansion: { timestamp: '2026-01-01', contains: [{ system: simpleUrl, code: 'code1' }] },
        },
      },
      'code1',
    ],
    ['CodeSystem.valueSet is the set of all codes', { url: 'http://example.org/ValueSet/whole-diamond' }, 'a(b c(d))'],
    ['a code with several parents is placed once', { valueSet: valueSet([{ system: diamond['url'] }]) }, 'a(b c(d))'],
    [
      'a date before the definitions',
      { url: 'http://hl7.org/fhir/ValueSet/administrative-gender', date: '1990' },
      'male female other unknown',
    ],
    [
      'context is profile#path',
      { context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.gender' },
      'male female other unknown',
    ],
    [
      'context without a binding',
      { context: 'http://hl7.org/fhir/StructureDefinition/Patient#Patient.name' },
      '404 not-found',
    ],
  ])('%s', async (_row, given, expected) => {
    expect(printExpansion(await call('/ValueSet/$expand', withAll(given)))).toBe(expected);
  });

  it('lists what was used and asked for', async () => {
    const given = { valueSet: valueSet([all]), excludeNested: true, includeDefinition: false, displayLanguage: 'de' };
    const { json } = await call('/ValueSet/$expand', withAll(given));
    expect(json.expansion).toMatchObject({
      identifier: expect.stringMatching(/^urn:uuid:/),
      timestamp: expect.any(String),
      total: 7,
    });
    expect(json.expansion.offset).toBeUndefined();
    expect(json.compose).toBeUndefined();
    expect(json.expansion.parameter).toEqual(
      expect.arrayContaining([
        { name: 'excludeNested', valueBoolean: true },
        { name: 'displayLanguage', valueCode: 'de' },
        { name: 'version', valueUri: `${simpleUrl}|0.1.0` },
        { name: 'used-codesystem', valueUri: `${simpleUrl}|0.1.0` },
      ]),
    );
    expect(json.expansion.contains[1].display).toBe('Anzeige 2');
  });

  it.each<readonly [row: string, given: Json, headers: Record<string, string>, display: string | undefined]>([
    ['displayLanguage', { displayLanguage: 'fr' }, {}, 'Affichage 2'],
    ['a near language', { displayLanguage: 'fr-CA' }, {}, 'Affichage 2'],
    ['Accept-Language', {}, { 'Accept-Language': 'de, en;q=0.5' }, 'Anzeige 2'],
    ['displayLanguage before Accept-Language', { displayLanguage: 'fr' }, { 'Accept-Language': 'de' }, 'Affichage 2'],
    ['its own language', { displayLanguage: 'en' }, { 'Accept-Language': 'de' }, 'Display 2'],
    ['without a translation the display stays', { displayLanguage: 'nl' }, {}, 'Display 2'],
    ['with *;q=0 no fallback', { displayLanguage: 'nl, *;q=0' }, {}, undefined],
  ])('displays: %s', async (_row, given, headers, display) => {
    const { json } = await call('/ValueSet/$expand', withAll({ valueSet: valueSet([all]), ...given }), headers);
    expect(json.expansion.contains[1].display).toBe(display);
  });

  it.each<readonly [row: string, given: Json, values: readonly string[]]>([
    ['all of them', { includeDesignations: true }, ['Anzeige 2', 'Affichage 2', 'D2']],
    ['a language as a token', { designation: 'urn:ietf:bcp:47|fr' }, ['Affichage 2']],
    ['a use', { designation: 'http://example.org/uses|short' }, ['D2']],
    [
      'the own display, where another is shown',
      { includeDesignations: true, displayLanguage: 'de' },
      ['Display 2', 'Affichage 2', 'D2'],
    ],
  ])('designations: %s', async (_row, given, values) => {
    const { json } = await call('/ValueSet/$expand', withAll({ valueSet: valueSet([all]), ...given }));
    expect(json.expansion.contains[1].designation.map(({ value }: Json) => value)).toEqual(values);
  });

  it('property: the extension of R5, with its declaration', async () => {
    const given = { valueSet: valueSet([all]), property: ['prop', 'definition'], excludeNested: true };
    const { json } = await call('/ValueSet/$expand', withAll(given));
    const base = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion';
    const own = json.expansion.contains[1].extension;
    expect(own.map(({ url, extension }: Nested) => [url, extension[0]?.['valueCode'], extension[1]])).toEqual([
      [`${base}.contains.property`, 'definition', { url: 'value', valueString: 'The second' }],
      [`${base}.contains.property`, 'prop', { url: 'value', valueCode: 'new' }],
      [`${base}.contains.property`, 'status', { url: 'value', valueCode: 'retired' }],
    ]);
    expect(json.expansion.extension).toContainEqual({
      url: `${base}.property`,
      extension: [
        { url: 'code', valueCode: 'status' },
        { url: 'uri', valueUri: 'http://hl7.org/fhir/concept-properties#status' },
      ],
    });
  });

  it('useSupplement adds designations; an unknown supplement is an error', async () => {
    const given = { valueSet: valueSet([all]), displayLanguage: 'es' };
    const plain = await call('/ValueSet/$expand', withAll(given));
    expect(plain.json.expansion.contains[0].display).toBe('Display 1');
    const added = await call('/ValueSet/$expand', withAll({ ...given, useSupplement: supplement['url'] }));
    expect(added.json.expansion.contains[0].display).toBe('Mostrar 1');
    expect(added.json.expansion.parameter).toContainEqual({
      name: 'used-supplement',
      valueUri: `${String(supplement['url'])}|1`,
    });
    const unknown = await call('/ValueSet/$expand', withAll({ ...given, useSupplement: 'http://none' }));
    expect(printExpansion(unknown)).toBe('422 not-found not-found');
    const extension = [
      { url: 'http://hl7.org/fhir/StructureDefinition/valueset-supplement', valueCanonical: supplement['url'] },
    ];
    const stated = await call('/ValueSet/$expand', withAll({ ...given, valueSet: valueSet([all], { extension }) }));
    expect(stated.json.expansion.contains[0].display).toBe('Mostrar 1');
    const asSystem = await call('/ValueSet/$expand', withAll({ valueSet: valueSet([{ system: supplement['url'] }]) }));
    expect(printExpansion(asSystem)).toBe('422 not-found not-found');
  });
});

describe('compositions', () => {
  const listed = (...codes: readonly string[]): Json => ({ ...all, concept: codes.map(code => ({ code })) });
  const [one, two] = [valueSet([listed('code1', 'code3')]), valueSet([listed('code3', 'code2b')])];
  it.each<readonly [row: string, include: readonly Json[], exclude: readonly Json[], expected: string]>([
    ['all conditions of an include hold', [{ ...filter('is-a', 'code2'), valueSet: [two['url']] }], [], 'code2b'],
    ['several includes: union, a code once', [listed('code1'), listed('code1', 'code3')], [], 'code1 code3'],
    ['then exclude', [listed('code1', 'code3')], [listed('code1')], 'code3'],
    ['several value sets in one include: intersection', [{ valueSet: [one['url'], two['url']] }], [], 'code3'],
    ['an include without a system', [{ valueSet: [one['url']] }], [], 'code1 code3'],
    ['is-a: with itself', [filter('is-a', 'code2a')], [], 'code2a code2aI code2aII'],
    ['descendent-of: without', [filter('descendent-of', 'code2a')], [], 'code2aI code2aII'],
    ['is-not-a', [filter('is-not-a', 'code2')], [], 'code1 code3'],
    ['child-of', [filter('child-of', 'code2')], [], 'code2a code2b'],
    ['descendent-leaf', [filter('descendent-leaf', 'code2')], [], 'code2aI code2aII code2b'],
    ['generalizes: ancestors with itself', [filter('generalizes', 'code2aI')], [], 'code2*- code2a code2aI'],
    ['= of a code property', [filter('=', 'new', 'prop')], [], 'code2*- code2a'],
    ['= of a Coding', [filter('=', 'x', 'like')], [], 'code2*-'],
    ['= of concept names the code itself', [filter('=', 'code3')], [], 'code3'],
    ['in', [filter('in', 'code1,code3')], [], 'code1 code3'],
    ['not-in', [filter('not-in', 'old,new', 'prop')], [], 'code2aI code2aII code2b code3'],
    ['exists=true', [filter('exists', 'true', 'prop')], [], 'code1 code2*- code2a'],
    ['exists=false', [filter('exists', 'false', 'prop')], [], 'code2aI code2aII code2b code3'],
    ['regex: the whole value', [filter('regex', 'code[13]', 'code')], [], 'code1 code3'],
    ['regex: not a part', [filter('regex', 'ode1', 'code')], [], ''],
    ['a pattern that would backtrack', [filter('regex', '(c?o?d?e?)*x', 'code')], [], ''],
    ['an unknown property', [filter('=', 'x', 'unknown')], [], '422 invalid vs-invalid'],
    ['an unknown operator', [filter('like', 'x')], [], '422 invalid vs-invalid'],
    [
      'a filter without a value',
      [{ ...all, filter: [{ property: 'concept', op: 'is-a', _value: { id: 'a' } }] }],
      [],
      '422 invalid vs-invalid',
    ],
    ['nothing is included', [{ valueSet: [valueSet([]).url] }], [], '422 not-found not-found'],
  ])('%s', async (_row, include, exclude, expected) => {
    const given = valueSet(include, {}, exclude.length === 0 ? {} : { exclude });
    const answer = await call('/ValueSet/$expand', {
      valueSet: given,
      excludeNested: true,
      'tx-resource': [simple(), one, two],
    });
    expect(printExpansion(answer)).toBe(expected);
  });

  it('imports in a circle are an error, and value sets that import others twice are not slow', async () => {
    const circle = ['a', 'b'].map((name, at) =>
      valueSet([{ valueSet: [`http://c/${at === 0 ? 'b' : 'a'}`] }], { url: `http://c/${name}` }),
    );
    const round = { url: 'http://c/a', 'tx-resource': [simple(), ...circle] };
    expect(printExpansion(await call('/ValueSet/$expand', round))).toBe('422 processing vs-invalid');
    const coding = { system: simpleUrl, code: 'code1' };
    expect(printResult(await call('/ValueSet/$validate-code', { ...round, coding }))).toBe('422 processing vs-invalid');
    const chain = Array.from({ length: 60 }, (_, at) =>
      valueSet(at === 59 ? [all] : [1, 2].map(() => ({ valueSet: [`http://chain/${at + 1}`] })), {
        url: `http://chain/${at}`,
      }),
    );
    const long = { url: 'http://chain/0', 'tx-resource': [simple(), ...chain] };
    expect(printExpansion(await call('/ValueSet/$expand', long))).toBe(tree);
    expect(printResult(await call('/ValueSet/$validate-code', { ...long, coding }))).toBe('true');
    const outside = { system: simpleUrl, code: 'none' };
    expect(printResult(await call('/ValueSet/$validate-code', { ...long, coding: outside }))).toBe(
      'false, error invalid-code@Coding.code, error not-in-vs@Coding.code',
    );
  });

  it('a contained value set is named by its id', async () => {
    const contained = [
      { resourceType: 'ValueSet', id: 'own', status: 'active', compose: { include: [listed('code3')] } },
    ];
    const given = valueSet([{ valueSet: ['#own'] }], { contained });
    expect(printExpansion(await call('/ValueSet/$expand', withAll({ valueSet: given })))).toBe('code3');
  });

  it('100,000 codes are listed whole, more are too costly, and a page of these works', async () => {
    const large = (codes: number): Json => ({
      resourceType: 'CodeSystem',
      url: `http://example.org/large-${codes}`,
      status: 'active',
      content: 'complete',
      concept: Array.from({ length: codes }, (_, at) => ({ code: `c${at}` })),
    });
    const ask = (codes: number, more: Json = {}) =>
      call('/ValueSet/$expand', {
        valueSet: valueSet([{ system: `http://example.org/large-${codes}` }]),
        'tx-resource': large(codes),
        ...more,
      });
    const whole = await ask(100_000);
    expect([whole.status, whole.json.expansion.total, whole.json.expansion.contains.length]).toEqual([
      200, 100_000, 100_000,
    ]);
    expect(printExpansion(await ask(100_001))).toBe('422 too-costly');
    const page = await ask(100_001, { count: 2, offset: 50_000 });
    expect([printExpansion(page), page.json.expansion.total]).toEqual(['c50000 c50001', 100_001]);
  });
});

describe('bounds', () => {
  const coded = (concept: readonly Json[], more: Json = {}): Json => ({
    resourceType: 'CodeSystem',
    url: 'http://example.org/bounded',
    status: 'active',
    content: 'complete',
    concept,
    ...more,
  });
  const whole = valueSet([{ system: 'http://example.org/bounded' }]);

  it('parents in a circle end, and lose no code', async () => {
    const circle = ['a', 'b'].map((code, at) => ({
      code,
      property: [property('parent', { valueCode: at === 0 ? 'b' : 'a' })],
    }));
    const sent = { 'tx-resource': coded([...circle, { code: 'c' }]) };
    expect(printExpansion(await call('/ValueSet/$expand', { valueSet: whole, ...sent }))).toBe('c a b');
    const given = { system: 'http://example.org/bounded', codeA: 'a', codeB: 'c', ...sent };
    expect((await call('/CodeSystem/$subsumes', given)).json.parameter).toEqual([
      { name: 'outcome', valueCode: 'not-subsumed' },
    ]);
    const filtered = valueSet([
      { system: 'http://example.org/bounded', filter: [{ property: 'concept', op: 'is-a', value: 'a' }] },
    ]);
    expect(printExpansion(await call('/ValueSet/$expand', { valueSet: filtered, count: 9, ...sent }))).toBe('a b');
  });

  it('a hierarchy of 20,000 levels is answered, nested to 50 of them', async () => {
    const levels = 20_000;
    const chain = Array.from({ length: levels }, (_, at) => ({
      code: `c${at}`,
      ...(at === 0 ? {} : { property: [property('parent', { valueCode: `c${at - 1}` })] }),
    }));
    const { status, json } = await call('/ValueSet/$expand', { valueSet: whole, 'tx-resource': coded(chain) });
    expect([status, json.expansion.total]).toEqual([200, levels]);
    let [level, depth] = [json.expansion.contains, 1];
    for (; level[0].contains !== undefined; depth += 1) level = level[0].contains;
    expect([depth, level.length]).toEqual([50, levels - 49]);
  });

  it('concepts that are nested too deeply are refused', async () => {
    const levels = 3_000;
    const concepts = '{"code":"c","concept":['.repeat(levels) + '{"code":"last"}' + ']}'.repeat(levels);
    const body = JSON.stringify(parameters(...parts({ valueSet: whole, 'tx-resource': coded([]) })));
    const { status, json } = await server.ask('POST', '/ValueSet/$expand', {
      headers: { 'Content-Type': 'application/fhir+json' },
      body: body.replace('"concept":[]', `"concept":[${concepts}]`),
    });
    expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
  });

  it('more than 100 resources in a call are refused', async () => {
    const many = Array.from({ length: 101 }, () => valueSet([all]));
    expect(printExpansion(await call('/ValueSet/$expand', { valueSet: whole, 'tx-resource': many }))).toBe(
      '400 too-costly',
    );
  });
});

describe('versions', () => {
  const url = 'http://example.org/CodeSystem/version';
  const stated = (version?: string): Json => valueSet([{ system: url, ...(version === undefined ? {} : { version }) }]);
  const only = (version: string): string => `code1 only-${version}`;
  it.each<readonly [row: string, version: string | undefined, given: Json, expected: string]>([
    ['without a version the newest, part by part as numbers', undefined, {}, only('1.10.0')],
    ['include.version selects the version', '1.0.0', {}, only('1.0.0')],
    ['a wildcard', '1.2.x', {}, only('1.2.0')],
    ['any', '*', {}, only('1.10.0')],
    ['an unknown version', '7', {}, '422 not-found not-found'],
    ['system-version where the set names none', undefined, { 'system-version': `${url}|1.0.0` }, only('1.0.0')],
    ['system-version not where it names one', '1.2.0', { 'system-version': `${url}|1.0.0` }, only('1.2.0')],
    ['force-system-version wins', '1.2.0', { 'force-system-version': `${url}|1.0.x` }, only('1.0.0')],
    [
      'check-system-version of another',
      '1.2.0',
      { 'check-system-version': `${url}|1.0.x` },
      '422 exception version-error',
    ],
    ['check-system-version of the same', '1.0.0', { 'check-system-version': `${url}|1.0.x` }, only('1.0.0')],
  ])('%s', async (_row, version, given, expected) => {
    const answer = await call('/ValueSet/$expand', { valueSet: stated(version), 'tx-resource': versions, ...given });
    expect(printExpansion(answer)).toBe(expected);
  });

  it('two includes of two versions are two sets of codes', async () => {
    const both = valueSet([
      { system: url, version: '1.0.0' },
      { system: url, version: '1.2.0' },
    ]);
    const { json } = await call('/ValueSet/$expand', { valueSet: both, 'tx-resource': versions });
    expect(json.expansion.contains.map(({ code, version }: Json) => `${String(code)} ${String(version)}`)).toEqual([
      'code1 1.0.0',
      'only-1.0.0 1.0.0',
      'code1 1.2.0',
      'only-1.2.0 1.2.0',
    ]);
  });

  it('default-valueset-version is that of imports without one', async () => {
    const [old, recent] = ['1', '2'].map(version =>
      valueSet([{ ...all, concept: [{ code: `code${version}` }] }], { url: 'http://v/set', version }),
    );
    const given = { valueSet: valueSet([{ valueSet: ['http://v/set'] }]), 'tx-resource': [simple(), old, recent] };
    expect(printExpansion(await call('/ValueSet/$expand', given))).toBe('code2*-');
    const fixed = { ...given, 'default-valueset-version': 'http://v/set|1' };
    expect(printExpansion(await call('/ValueSet/$expand', fixed))).toBe('code1');
  });

  const mismatch = 'false, error vs-invalid@Coding.version';
  it.each<readonly [row: string, set: string | undefined, version: string | undefined, given: Json, expected: string]>([
    ['the version of the set', '1.0.0', '1.0.0', {}, 'true'],
    ['no version in the code', '1.0.0', undefined, {}, 'true'],
    ['another version than that of the set', '1.0.0', '1.2.0', {}, mismatch],
    ['another than the newest, which a set without a version has', undefined, '1.0.0', {}, mismatch],
    [
      'a version that is not loaded',
      '1.0.0',
      '2.4.0',
      {},
      `false, error not-found@Coding.system, error vs-invalid@Coding.version`,
    ],
    [
      'such a version, and a set without one',
      undefined,
      '2.4.0',
      {},
      `false, error not-found@Coding.system, warning vs-invalid@Coding.version`,
    ],
    ['a set whose version is not loaded', '7', undefined, {}, 'false, error not-found@Coding.system'],
    [
      'check-system-version',
      '1.2.0',
      undefined,
      { 'check-system-version': `${url}|1.0.x` },
      'false, error version-error@Coding.version',
    ],
    ['force-system-version', '1.2.0', '1.0.0', { 'force-system-version': `${url}|1.0.x` }, 'true'],
    ['system-version', undefined, '1.0.0', { 'system-version': `${url}|1.0.0` }, 'true'],
  ])('$validate-code: %s', async (_row, set, version, given, expected) => {
    const coding = { system: url, code: 'code1', ...(version === undefined ? {} : { version }) };
    const answer = await call('/ValueSet/$validate-code', {
      valueSet: stated(set),
      coding,
      'tx-resource': versions,
      ...given,
    });
    expect(printResult(answer)).toBe(expected);
  });

  it('systemVersion in ValueSet/$validate-code, version in CodeSystem/$validate-code and $lookup', async () => {
    const code = { system: url, code: 'only-1.0.0', 'tx-resource': versions };
    const set = await call('/ValueSet/$validate-code', { ...code, valueSet: stated('1.0.0'), systemVersion: '1.0.0' });
    expect(printResult(set)).toBe('true');
    const system = { code: 'only-1.0.0', url, version: '1.0.0', 'tx-resource': versions };
    expect(printResult(await call('/CodeSystem/$validate-code', system))).toBe('true');
    const { version: _version, ...newest } = system;
    expect(printResult(await call('/CodeSystem/$validate-code', newest))).toBe('false, error invalid-code@code');
    expect((await call('/CodeSystem/$lookup', { ...code, version: '1.0.0' })).status).toBe(200);
    expect((await call('/CodeSystem/$lookup', code)).status).toBe(404);
  });
});

describe('$validate-code', () => {
  const set = valueSet([all]);
  const some = valueSet([filter('is-a', 'code2a')]);
  const coding = (code: string, more: Json = {}): Json => ({ coding: { system: simpleUrl, code, ...more } });
  it.each<readonly [row: string, given: Json, expected: string]>([
    ['a code of the set', { valueSet: set, ...coding('code1') }, 'true'],
    ['a code outside', { valueSet: some, ...coding('code1') }, 'false, error not-in-vs@Coding.code'],
    [
      'an unknown code',
      { valueSet: set, ...coding('code1x') },
      'false, error invalid-code@Coding.code, error not-in-vs@Coding.code',
    ],
    [
      'an unknown system',
      { valueSet: set, coding: { system: 'http://none', code: 'a' } },
      'false, error not-found@Coding.system, error not-in-vs@Coding.code',
    ],
    [
      'a system that is no absolute URI',
      { valueSet: set, coding: { system: 'Location', code: 'a' } },
      'false, error invalid-data@Coding.system, error not-found@Coding.system, error not-in-vs@Coding.code',
    ],
    [
      'a coding without a system',
      { valueSet: set, coding: { code: 'code1' } },
      'false, error not-in-vs@Coding.code, error invalid-data@Coding',
    ],
    ['an unknown set', { url: 'http://none', ...coding('code1') }, '404 not-found not-found'],
    ['a wrong set', { valueSet: valueSet([filter('like', 'x')]), ...coding('code1') }, '422 invalid vs-invalid'],
    [
      'an unknown import',
      { valueSet: valueSet([{ valueSet: ['http://none'] }]), ...coding('code1') },
      'false, error not-found@',
    ],
    ['code without system needs inferSystem', { valueSet: set, code: 'code1' }, '400 required'],
    ['inferSystem', { valueSet: set, code: 'code1', inferSystem: true }, 'true'],
    [
      'inferSystem of an unknown code',
      { valueSet: set, code: 'none', inferSystem: true },
      'false, error not-in-vs@code, error cannot-infer@code',
    ],
    [
      'abstract absent: valid if the set has it',
      { valueSet: set, ...coding('code2') },
      'true, warning code-comment@Coding',
    ],
    [
      'abstract=false: not',
      { valueSet: set, ...coding('code2'), abstract: false },
      'false, error code-rule@Coding.code, error not-in-vs@Coding.code, warning code-comment@Coding',
    ],
    [
      'activeOnly',
      { valueSet: set, ...coding('code2'), activeOnly: true },
      'false, error code-rule@Coding.code, warning code-comment@Coding, error not-in-vs@Coding.code',
    ],
    ['any designation is a right display', { valueSet: set, ...coding('code2a', { display: 'Display 2a' }) }, 'true'],
    [
      'case differs',
      { valueSet: set, ...coding('code1', { display: 'display 1' }) },
      'true, warning invalid-display@Coding.display',
    ],
    [
      'white space differs',
      { valueSet: set, ...coding('code1', { display: 'Display  1' }) },
      'true, warning invalid-display@Coding.display',
    ],
    [
      'a wrong display',
      { valueSet: set, ...coding('code1', { display: 'Wrong' }) },
      'false, error invalid-display@Coding.display',
    ],
    [
      'lenient-display-validation',
      { valueSet: set, ...coding('code1', { display: 'Wrong' }), 'lenient-display-validation': true },
      'true, warning invalid-display@Coding.display',
    ],
    [
      'a display in a language without one',
      { valueSet: set, ...coding('code1', { display: 'Display 1' }), displayLanguage: 'de' },
      'true, information invalid-display@Coding.display',
    ],
    [
      'caseSensitive=true: another case is unknown',
      { valueSet: set, ...coding('CODE1') },
      'false, error invalid-code@Coding.code, error not-in-vs@Coding.code',
    ],
    [
      'caseSensitive=false accepts any case',
      { url: 'http://example.org/ValueSet/whole-diamond', coding: { system: diamond['url'], code: 'A' } },
      'true, information code-rule@Coding.code',
    ],
    [
      'one valid coding suffices',
      {
        valueSet: some,
        codeableConcept: {
          coding: [
            { system: simpleUrl, code: 'code1' },
            { system: simpleUrl, code: 'code2aI' },
          ],
        },
      },
      'true, information this-code-not-in-vs@CodeableConcept.coding[0].code',
    ],
    [
      'no valid coding',
      { valueSet: some, codeableConcept: { coding: [{ system: simpleUrl, code: 'code1' }] } },
      'false, error not-in-vs@, information this-code-not-in-vs@CodeableConcept.coding[0].code',
    ],
    ['a draft set', { valueSet: { ...set, status: 'draft' }, ...coding('code1') }, 'true, information status-check@'],
  ])('%s', async (_row, given, expected) => {
    expect(printResult(await call('/ValueSet/$validate-code', withAll(given)))).toBe(expected);
  });

  it('returns what was validated, with the systems that are unknown', async () => {
    const known = await call('/ValueSet/$validate-code', withAll({ valueSet: set, ...coding('code2') }));
    const named = (answer: Answer, name: string) => answer.json.parameter.find((one: Json) => one['name'] === name);
    expect(named(known, 'display').valueString).toBe('Display 2');
    expect(named(known, 'code').valueCode).toBe('code2');
    expect(named(known, 'system').valueUri).toBe(simpleUrl);
    expect(named(known, 'version').valueString).toBe('0.1.0');
    expect(named(known, 'inactive').valueBoolean).toBe(true);
    expect(named(known, 'issues').resource.issue[0].details.coding[0].system).toBe(
      'http://hl7.org/fhir/tools/CodeSystem/tx-issue-type',
    );
    const unknown = await call(
      '/ValueSet/$validate-code',
      withAll({ valueSet: set, coding: { system: 'http://none', code: 'a' } }),
    );
    expect(named(unknown, 'x-caused-by-unknown-system').valueCanonical).toBe('http://none');
  });

  it.each<readonly [content: string, expected: string]>([
    ['fragment', 'true, warning invalid-code@Coding.code'],
    ['example', 'false, error not-found@Coding.system'],
    ['not-present', 'false, error not-found@Coding.system'],
  ])('content=%s: an absent code', async (name, expected) => {
    const system = content(name);
    const given = { coding: { system: system['url'], code: 'x' }, 'tx-resource': system };
    expect(printResult(await call('/CodeSystem/$validate-code', given))).toBe(expected);
    const expansion = await call('/ValueSet/$expand', {
      valueSet: valueSet([{ system: system['url'] }]),
      'tx-resource': system,
    });
    expect(printExpansion(expansion)).toBe('422 not-found not-found');
  });

  it('versionNeeded: without a version an error', async () => {
    const system = simple({ versionNeeded: true });
    const given = { 'tx-resource': system, coding: { system: simpleUrl, code: 'code1' } };
    expect(printResult(await call('/CodeSystem/$validate-code', given))).toBe(
      'false, error version-error@Coding.version',
    );
    const versioned = { ...given, coding: { system: simpleUrl, code: 'code1', version: '0.1.0' } };
    expect(printResult(await call('/CodeSystem/$validate-code', versioned))).toBe('true');
  });
});

describe('the other operations', () => {
  it('$lookup of a code by GET and POST; unknown ones are 404', async () => {
    const known = await server.get('/CodeSystem/$lookup?system=http://hl7.org/fhir/administrative-gender&code=male');
    expect(known.status).toBe(200);
    const { json } = await call(
      '/CodeSystem/$lookup',
      withAll({ system: simpleUrl, code: 'code2', property: ['child', 'inactive'] }),
    );
    const codes = json.parameter
      .filter(({ name }: Json) => name === 'property')
      .map(({ part: own }: { part: Json[] }) => own[1]);
    expect(codes).toEqual([
      { name: 'value', valueCode: 'code2a' },
      { name: 'value', valueCode: 'code2b' },
      { name: 'value', valueBoolean: true },
    ]);
    expect((await call('/CodeSystem/$lookup', withAll({ system: simpleUrl, code: 'none' }))).status).toBe(404);
    expect((await call('/CodeSystem/$lookup', withAll({ system: 'http://none', code: 'a' }))).status).toBe(404);
  });

  it.each([
    ['code2', 'code2aI', 'subsumes'],
    ['code2aI', 'code2', 'subsumed-by'],
    ['code1', 'code1', 'equivalent'],
    ['code1', 'code2', 'not-subsumed'],
  ])('$subsumes: %s, %s', async (codeA, codeB, outcome) => {
    const { json } = await call('/CodeSystem/$subsumes', withAll({ system: simpleUrl, codeA, codeB }));
    expect(json.parameter).toEqual([{ name: 'outcome', valueCode: outcome }]);
  });

  it('$subsumes by all parents, and not by another meaning of the hierarchy', async () => {
    for (const codeA of ['a', 'b', 'c'])
      expect(
        (await call('/CodeSystem/$subsumes', withAll({ system: diamond['url'], codeA, codeB: 'd' }))).json.parameter,
      ).toEqual([{ name: 'outcome', valueCode: 'subsumes' }]);
    const partOf = {
      'tx-resource': simple({ hierarchyMeaning: 'part-of' }),
      system: simpleUrl,
      codeA: 'code1',
      codeB: 'code2',
    };
    expect(printExpansion(await call('/CodeSystem/$subsumes', partOf))).toBe('422 not-supported');
    const unknown = withAll({ system: simpleUrl, codeA: 'code1', codeB: 'none' });
    expect((await call('/CodeSystem/$subsumes', unknown)).status).toBe(404);
  });

  it('$translate: dependencies, and other maps without circles', async () => {
    const target = (code: string, more: Json = {}): Json => ({ code, equivalence: 'equivalent', ...more });
    const map = (name: string, other: string): Json => ({
      resourceType: 'ConceptMap',
      url: `http://m/${name}`,
      status: 'active',
      group: [
        {
          source: simpleUrl,
          target: 'http://t',
          element: [
            { code: `code-${name}`, target: [target('plain')] },
            {
              code: 'code1',
              target: [
                target('young', { dependsOn: [{ property: 'http://age', system: 'http://ages', value: 'child' }] }),
              ],
            },
          ],
          unmapped: { mode: 'other-map', url: `http://m/${other}` },
        },
      ],
    });
    const maps = { url: 'http://m/a', 'tx-resource': [map('a', 'b'), map('b', 'a')] };
    const translated = async (code: string, more: readonly Json[] = []) => {
      const { json } = await post(
        server,
        '/ConceptMap/$translate',
        parameters(...parts({ ...maps, system: simpleUrl, code }), ...more),
      );
      return json.parameter.map(({ name, valueBoolean, part: own }: Translation) =>
        name === 'match' ? own.find(one => one.name === 'concept')?.valueCoding?.code : valueBoolean,
      );
    };
    expect(await translated('code-b')).toEqual([true, 'plain']);
    expect((await translated('code2'))[0]).toBe(false);
    expect((await translated('code1'))[0]).toBe(false);
    const dependency = {
      name: 'dependency',
      part: [
        { name: 'element', valueUri: 'http://age' },
        { name: 'concept', valueCodeableConcept: { coding: [{ system: 'http://ages', code: 'child' }] } },
      ],
    };
    expect(await translated('code1', [dependency])).toEqual([true, 'young']);
  });

  it('metadata?mode=terminology lists the systems and the parameters of $expand', async () => {
    const { json } = await server.get('/metadata?mode=terminology');
    expect(json).toMatchObject({ resourceType: 'TerminologyCapabilities', kind: 'instance', status: 'active' });
    expect(json.codeSystem.length).toBeGreaterThan(1_000);
    expect(json.codeSystem).toContainEqual(
      expect.objectContaining({
        uri: 'http://hl7.org/fhir/administrative-gender',
        version: [{ code: '4.0.1', isDefault: true }],
      }),
    );
    expect(json.codeSystem.some(({ uri }: Json) => uri === 'http://snomed.info/sct')).toBe(false);
    expect(json.expansion.parameter.map(({ name }: Json) => name)).toEqual(
      expect.arrayContaining(['filter', 'count', 'property', 'tx-resource', 'force-system-version']),
    );
    expect((await server.get('/metadata')).json.instantiates).toEqual([
      'http://hl7.org/fhir/CapabilityStatement/terminology-server',
    ]);
  });
});
