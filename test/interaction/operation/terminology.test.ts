// https://hl7.org/fhir/R4/terminology-service.html
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/serve.ts';
import type { Answer, Served } from '../../support/serve.ts';
import { testTokens } from '../../support/tokens.ts';
import { eventsOf, flags, parameters, post, printed } from './support.ts';

const animals = 'http://example.org/fhir/CodeSystem/animals';
const set = (name: string): string => `http://example.org/fhir/ValueSet/${name}`;
const gender = 'http://hl7.org/fhir/ValueSet/administrative-gender';
const loinc = 'http://hl7.org/fhir/ValueSet/observation-codes';

let server: Served;
beforeAll(async () => {
  server = await serve([], flags);
});
afterAll(() => server.close());

/** The codes of an expansion as `code display`. */
const codesOf = ({ json }: Answer): readonly string[] => listed(json.expansion.contains);

interface Item {
  readonly code: string;
  readonly display?: string;
  readonly contains?: readonly Item[];
}

const listed = (items: readonly Item[] = []): readonly string[] =>
  items.flatMap(({ code, display, contains }) => [
    [code, display].filter(part => part !== undefined).join(' '),
    ...listed(contains),
  ]);

/** The parameters of R4 in an answer; terminology clients read further ones. */
function decided(answer: Answer): string {
  const names = ['result', 'message', 'name', 'version', 'display', 'definition', 'designation', 'property'];
  const own = answer.json.parameter.some(({ name }: { name: string }) => name === 'result')
    ? names.slice(0, 2).concat('display')
    : names;
  const json = {
    ...answer.json,
    parameter: answer.json.parameter.filter(({ name }: { name: string }) => own.includes(name)),
  };
  return printed({ ...answer, json });
}

describe('$expand', () => {
  const mammals = ['mammal Mammal', 'dog Dog', 'cat Cat', 'mammoth Mammoth'];

  it.each<[string, string, readonly string[]]>([
    ['by url', `?url=${set('mammals')}`, mammals],
    ['by url and version', `?url=${set('mammals')}&valueSetVersion=2.0.0`, mammals],
    ['by canonical with a version', `?url=${set('mammals')}|2.0.0`, mammals],
    ['with its own displays', `?url=${set('pets')}`, ['dog A dog', 'parrot Parrot']],
    ['words', `?url=${set('mammals')}&filter=mam`, ['mammal Mammal', 'mammoth Mammoth']],
    ['several words', `?url=${set('mammals')}&filter=MAM%20mammo`, ['mammoth Mammoth']],
    ['active codes', `?url=${set('mammals')}&activeOnly=true`, mammals.slice(0, 3)],
    ['a page', `?url=${set('mammals')}&offset=1&count=2`, ['dog Dog', 'cat Cat']],
    ['a page behind the last', `?url=${set('mammals')}&offset=9`, []],
    ['none', `?url=${set('mammals')}&count=0`, []],
    [
      'in a language',
      `?url=${set('mammals')}&displayLanguage=fr-CA`,
      ['mammal Mammal', 'dog Chien', 'cat Chat', 'mammoth Mammoth'],
    ],
    [
      'of HL7 version 2',
      '?url=http://terminology.hl7.org/ValueSet/v2-0100',
      [
        'D On discharge',
        'O On receipt of order',
        'R At time service is completed',
        'S At time service is started',
        'T At a designated date/time',
      ],
    ],
    ['of R4', `?url=${gender}`, ['male Male', 'female Female', 'other Other', 'unknown Unknown']],
  ])('%s', async (_what, query, expected) => {
    const answer = await server.get(`/ValueSet/$expand${query}`);
    expect([answer.status, answer.json.resourceType]).toEqual([200, 'ValueSet']);
    expect(codesOf(answer)).toEqual(expected);
  });

  it('lists what it is an expansion of', async () => {
    const { json } = await server.get(`/ValueSet/$expand?url=${set('mammals')}&count=1&includeDefinition=true`);
    expect(json).toMatchObject({
      url: set('mammals'),
      version: '2.0.0',
      status: 'active',
      compose: { include: [{ system: animals }] },
      expansion: {
        timestamp: expect.stringMatching(/^\d{4}-/),
        total: 4,
        offset: 0,
        parameter: [
          { name: 'count', valueInteger: 1 },
          { name: 'includeDefinition', valueBoolean: true },
          { name: 'version', valueUri: `${animals}|1.2.0` },
          { name: 'used-codesystem', valueUri: `${animals}|1.2.0` },
        ],
        contains: [{ system: animals, code: 'mammal', display: 'Mammal' }],
      },
    });
  });

  it('marks codes that are not used, and lists designations', async () => {
    const path = `/ValueSet/$expand?url=${set('mammals')}&includeDesignations=true&designation=fr&excludeNested=true`;
    const { json } = await server.get(path);
    expect(json.expansion.contains[1]).toMatchObject({
      code: 'dog',
      designation: [{ language: 'fr', value: 'Chien' }],
    });
    expect(json.expansion.contains[3]).toMatchObject({ code: 'mammoth', inactive: true });
  });

  it.each(['pet-choices', 'mammals'])('the definition with the id %s', async id => {
    const answer = await server.get(`/ValueSet/${id}/$expand`);
    expect(answer.json.id).toBe(id);
    expect(codesOf(answer).length).toBeGreaterThan(1);
  });

  const valueSet = {
    resourceType: 'ValueSet',
    status: 'draft',
    compose: { include: [{ valueSet: [set('mammals')] }], exclude: [{ system: animals, concept: [{ code: 'cat' }] }] },
  };

  it.each<[string, object]>([
    ['in Parameters', parameters({ name: 'valueSet', resource: valueSet }, { name: 'filter', valueString: 'd' })],
    ['alone', valueSet],
  ])('a ValueSet in the call, %s', async (_what, body) => {
    const answer = await post(server, '/ValueSet/$expand', body);
    expect(answer.status).toBe(200);
    expect(codesOf(answer)).toContain('dog Dog');
    expect(codesOf(answer)).not.toContain('cat Cat');
  });

  it('names the place of a parameter in the body that is repeated or not supported', async () => {
    const url = { name: 'url', valueUri: 'http://example.org/none' };
    for (const [other, code] of [
      [url, 'value'],
      [{ name: 'dates', valueDateTime: '2020' }, 'not-supported'],
    ] as const) {
      const { status, json } = await post(server, '/ValueSet/$expand', parameters(url, other));
      expect([status, json.issue[0].code, json.issue[0].expression]).toEqual([400, code, ['Parameters.parameter[1]']]);
    }
  });

  it('refuses a ValueSet in the call with too many parts', async () => {
    const include = Array.from({ length: 101 }, () => ({ system: animals }));
    const answer = await post(server, '/ValueSet/$expand', { ...valueSet, compose: { include } });
    expect([answer.status, answer.json.issue[0].code]).toEqual([400, 'too-costly']);
  });

  it.each<[string, string, number, string, string]>([
    ['no ValueSet', '/ValueSet/$expand', 400, 'required', '`url`'],
    ['an unknown one', `/ValueSet/$expand?url=${set('none')}`, 404, 'not-found', set('none')],
    ['an unknown version', `/ValueSet/$expand?url=${set('mammals')}|9`, 404, 'not-found', '|9'],
    ['an unknown id', '/ValueSet/none/$expand', 404, 'not-found', '`none`'],
    ['two of them', `/ValueSet/mammals/$expand?url=${set('pets')}`, 400, 'invalid', 'one of'],
    ['codes of a system that R4 does not have', `/ValueSet/$expand?url=${loinc}`, 422, 'not-found', 'http://loinc.org'],
    ['codes that are not loaded', `/ValueSet/$expand?url=${set('unknown')}`, 422, 'not-found', 'elsewhere'],
    ['a misspelt one', `/ValueSet/$expand?url=${gender}&fliter=a`, 400, 'not-supported', 'Did you mean `filter`?'],
    ['a negative number', `/ValueSet/$expand?url=${gender}&offset=-1`, 400, 'value', '`offset`'],
    ['a wrong flag', `/ValueSet/$expand?url=${gender}&activeOnly=yes`, 400, 'value', '`yes`'],
    ['a complex value in the URL', '/ValueSet/$validate-code?coding=a', 400, 'value', 'in Parameters by POST'],
  ])('refuses %s', async (_what, path, status, code, text) => {
    const { json, status: found } = await server.get(path);
    expect([found, json.resourceType, json.issue[0].code]).toEqual([status, 'OperationOutcome', code]);
    expect(json.issue[0].diagnostics).toContain(text);
  });
});

describe('$lookup', () => {
  it.each<[string, string, string]>([
    [
      'a code',
      `system=${animals}&code=dog`,
      'name=Animals version=1.2.0 display=Dog definition=A domestic dog designation(language=fr value=Chien) ' +
        'designation(language=de value=Hund) property(code=parent value=mammal description=Mammal) ' +
        'property(code=inactive value=false) property(code=legs value=4 description=How many legs it has)',
    ],
    [
      'some properties',
      `system=${animals}&code=bird&property=child&property=legs`,
      'name=Animals version=1.2.0 display=Bird property(code=child value=parrot description=Parrot)',
    ],
    ['none of them', `system=${animals}&code=dog&property=x`, 'name=Animals version=1.2.0 display=Dog'],
    [
      'a language',
      `system=${animals}&code=dog&property=x&displayLanguage=fr`,
      'name=Animals version=1.2.0 display=Chien',
    ],
    ['a version', `system=${animals}&version=1.2.0&code=cat&property=x`, 'name=Animals version=1.2.0 display=Cat'],
    [
      'of R4',
      'system=http://hl7.org/fhir/administrative-gender&code=male',
      'name=AdministrativeGender version=4.0.1 display=Male definition=Male. property(code=inactive value=false)',
    ],
    [
      'of HL7 version 3',
      'system=http://terminology.hl7.org/CodeSystem/v3-ActPriority&code=CSP&property=parent',
      'name=v3.ActPriority version=2018-08-12 display=callback placer for scheduling ' +
        'property(code=parent value=CS description=callback for scheduling)',
    ],
  ])('%s', async (_what, query, expected) => {
    expect(decided(await server.get(`/CodeSystem/$lookup?${query}`))).toBe(expected);
  });

  it('takes a Coding by POST', async () => {
    const body = parameters(
      { name: 'coding', valueCoding: { system: animals, code: 'cat' } },
      { name: 'property', valueCode: 'x' },
    );
    expect(decided(await post(server, '/CodeSystem/$lookup', body))).toBe('name=Animals version=1.2.0 display=Cat');
  });

  it.each<[string, string, number, string]>([
    ['no code', `system=${animals}`, 400, 'required'],
    ['no system', 'code=dog', 400, 'required'],
    ['an unknown code', `system=${animals}&code=wolf`, 404, 'not-found'],
    ['an unknown system', 'system=http://example.org/none&code=dog', 404, 'not-found'],
    ['an unknown version', `system=${animals}&version=9&code=dog`, 404, 'not-found'],
    ['a code of wrong form', `system=${animals}&code=%20dog`, 400, 'value'],
  ])('refuses %s', async (_what, query, status, code) => {
    const answer = await server.get(`/CodeSystem/$lookup?${query}`);
    expect([answer.status, answer.json.issue[0].code]).toEqual([status, code]);
  });
});

describe('$validate-code', () => {
  it.each<[string, string, string]>([
    [
      'a code of a set',
      `/ValueSet/$validate-code?url=${set('mammals')}&system=${animals}&code=dog`,
      'result=true display=Dog',
    ],
    [
      'one of the set with an id',
      `/ValueSet/mammals/$validate-code?system=${animals}&code=cat`,
      'result=true display=Cat',
    ],
    [
      'one that the set does not have',
      `/ValueSet/$validate-code?url=${set('mammals')}&system=${animals}&code=parrot`,
      `result=false message=The code \`${animals}#parrot\` is not in the value set \`${set('mammals')}|2.0.0\`. ` +
        'display=Parrot',
    ],
    [
      'one of another system',
      `/ValueSet/$validate-code?url=${set('mammals')}&system=http://example.org/x&code=dog`,
      'result=false message=The CodeSystem `http://example.org/x` is not loaded, so that its codes cannot be ' +
        'validated. ' +
        `The code \`http://example.org/x#dog\` is not in the value set \`${set('mammals')}|2.0.0\`.`,
    ],
    [
      'a display',
      `/ValueSet/$validate-code?url=${set('mammals')}&system=${animals}&code=dog&display=Chien`,
      'result=true display=Dog',
    ],
    [
      'a wrong display',
      `/ValueSet/$validate-code?url=${set('mammals')}&system=${animals}&code=dog&display=Cat`,
      'result=false message=`Cat` is not a display of `dog`: use `Dog`, `Chien`, `Hund`. display=Dog',
    ],
    ['a code of a system', `/CodeSystem/$validate-code?url=${animals}&code=dog`, 'result=true display=Dog'],
    ['one of the system with an id', '/CodeSystem/animal-codes/$validate-code?code=dog', 'result=true display=Dog'],
    [
      'one in a language',
      `/CodeSystem/$validate-code?url=${animals}&code=dog&displayLanguage=de`,
      'result=true display=Hund',
    ],
    [
      'one that the system does not have',
      `/CodeSystem/$validate-code?url=${animals}&code=wolf`,
      `result=false message=\`wolf\` is not a code of \`${animals}|1.2.0\`.`,
    ],
    [
      'an abstract code',
      `/CodeSystem/$validate-code?url=${animals}&code=animal&abstract=false`,
      'result=false message=The code `animal` is abstract, which is not allowed here. display=Animal',
    ],
    [
      'one that may be so',
      `/CodeSystem/$validate-code?url=${animals}&code=animal&abstract=true`,
      'result=true display=Animal',
    ],
    [
      'one without regard to case',
      '/CodeSystem/$validate-code?url=http://example.org/fhir/CodeSystem/places&code=HOUSE',
      'result=true display=House',
    ],
  ])('%s', async (_what, path, expected) => {
    const answer = await server.get(path);
    expect(answer.status).toBe(200);
    expect(decided(answer)).toBe(expected);
  });

  const coding = (code: string, system = animals) => ({ system, code });
  it.each<[string, string, object, string]>([
    [
      'a Coding',
      '/ValueSet/$validate-code',
      parameters({ name: 'url', valueUri: set('mammals') }, { name: 'coding', valueCoding: coding('dog') }),
      'result=true display=Dog',
    ],
    [
      'a CodeableConcept with one valid coding',
      '/ValueSet/mammals/$validate-code',
      parameters({ name: 'codeableConcept', valueCodeableConcept: { coding: [coding('parrot'), coding('cat')] } }),
      'result=true display=Cat',
    ],
    [
      'a Coding of its own system',
      '/CodeSystem/$validate-code',
      parameters({ name: 'coding', valueCoding: coding('dog') }),
      'result=true display=Dog',
    ],
    [
      'a set in the call',
      '/ValueSet/$validate-code',
      parameters(
        { name: 'coding', valueCoding: coding('dog') },
        {
          name: 'valueSet',
          resource: { resourceType: 'ValueSet', status: 'draft', compose: { include: [{ valueSet: [set('pets')] }] } },
        },
      ),
      'result=true display=Dog',
    ],
    [
      'a system in the call',
      '/CodeSystem/$validate-code',
      parameters(
        { name: 'code', valueCode: 'b' },
        {
          name: 'codeSystem',
          resource: {
            resourceType: 'CodeSystem',
            status: 'draft',
            content: 'complete',
            concept: [{ code: 'b', display: 'B' }],
          },
        },
      ),
      'result=true display=B',
    ],
  ])('%s', async (_what, path, body, expected) => {
    expect(decided(await post(server, path, body))).toBe(expected);
  });

  it.each<[string, string, number, string]>([
    ['no code', `/ValueSet/$validate-code?url=${gender}`, 400, 'required'],
    ['no system', `/ValueSet/$validate-code?url=${gender}&code=male`, 400, 'required'],
    ['no set', `/ValueSet/$validate-code?system=${animals}&code=dog`, 400, 'required'],
    ['an unknown set', `/ValueSet/$validate-code?url=${set('none')}&system=${animals}&code=dog`, 404, 'not-found'],
  ])('refuses %s', async (_what, path, status, code) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.issue[0].code]).toEqual([status, code]);
  });
});

describe('$subsumes', () => {
  const on = (a: string, b: string): string => `/CodeSystem/$subsumes?system=${animals}&codeA=${a}&codeB=${b}`;

  it.each([
    ['dog', 'dog', 'equivalent'],
    ['mammal', 'dog', 'subsumes'],
    ['animal', 'dog', 'subsumes'],
    ['dog', 'mammal', 'subsumed-by'],
    ['dog', 'bird', 'not-subsumed'],
  ])('%s and %s: %s', async (a, b, outcome) => {
    expect(printed(await server.get(on(a, b)))).toBe(`outcome=${outcome}`);
    expect(printed(await server.get(`/CodeSystem/animal-codes/$subsumes?codeA=${a}&codeB=${b}`))).toBe(
      `outcome=${outcome}`,
    );
    const part = (name: string, code: string) => ({ name, valueCoding: { system: animals, code } });
    const body = parameters(part('codingA', a), part('codingB', b));
    expect(printed(await post(server, '/CodeSystem/$subsumes', body))).toBe(`outcome=${outcome}`);
  });

  it.each<[string, string, number, string]>([
    ['one code', `/CodeSystem/$subsumes?system=${animals}&codeA=dog`, 400, 'required'],
    ['no system', '/CodeSystem/$subsumes?codeA=dog&codeB=cat', 400, 'invalid'],
    ['an unknown code', on('dog', 'wolf'), 404, 'not-found'],
    ['another hierarchy', '/CodeSystem/places/$subsumes?codeA=house&codeB=room', 422, 'not-supported'],
    [
      'a system that is not loaded completely',
      '/CodeSystem/$subsumes?system=http://example.org/fhir/CodeSystem/fragment&codeA=known&codeB=known',
      404,
      'not-found',
    ],
    [
      'another system than that of the URL',
      `/CodeSystem/places/$subsumes?system=${animals}&codeA=dog&codeB=cat`,
      400,
      'invalid',
    ],
  ])('refuses %s', async (_what, path, status, code) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.issue[0].code]).toEqual([status, code]);
  });
});

describe('$translate', () => {
  const map = 'http://example.org/fhir/ConceptMap/animals';
  const concept = (system: string, code: string, display?: string): string =>
    `concept=${JSON.stringify({ system, code, ...(display === undefined ? {} : { display }) })}`;
  const legacy = 'http://example.org/legacy';

  it.each<[string, string, string]>([
    [
      'a code in all target systems',
      `/ConceptMap/$translate?url=${map}&system=${animals}&code=dog`,
      `result=true match(equivalence=equivalent ${concept(legacy, 'D', 'DOG')} source=${map}) ` +
        `match(equivalence=equal ${concept('http://example.org/newer', 'canis')} source=${map})`,
    ],
    [
      'a code in one of them, by the id of the map',
      `/ConceptMap/animal-map/$translate?system=${animals}&code=dog&targetsystem=${legacy}`,
      `result=true match(equivalence=equivalent ${concept(legacy, 'D', 'DOG')} source=${map})`,
    ],
    [
      'one with a product, without what depends on more',
      `/ConceptMap/$translate?system=${animals}&code=mammal&source=${set('mammals')}&target=${set('legacy')}`,
      `result=true match(equivalence=narrower ${concept(legacy, 'M1')} ` +
        `product(element=http://example.org/size ${concept('http://example.org/sizes', 'big')}) source=${map})`,
    ],
    [
      'one that has no target',
      `/ConceptMap/animal-map/$translate?system=${animals}&code=bird`,
      `result=false message=No map leads from \`${animals}|bird\` to another code. ` +
        `match(equivalence=unmatched source=${map})`,
    ],
    [
      'one that is not mapped',
      `/ConceptMap/animal-map/$translate?system=${animals}&code=cat`,
      `result=true match(equivalence=inexact ${concept(legacy, 'X', 'Other')} source=${map})`,
    ],
    [
      'back',
      `/ConceptMap/animal-map/$translate?system=${legacy}&code=M1&reverse=true`,
      `result=true match(equivalence=wider ${concept(animals, 'mammal')} source=${map})`,
    ],
    [
      'of another system',
      `/ConceptMap/animal-map/$translate?system=http://example.org/x&code=dog`,
      'result=false message=No map leads from `http://example.org/x|dog` to another code.',
    ],
  ])('%s', async (_what, path, expected) => {
    expect(printed(await server.get(path))).toBe(expected);
  });

  it('takes a CodeableConcept, and a map in the call', async () => {
    const conceptMap = {
      resourceType: 'ConceptMap',
      status: 'draft',
      group: [
        { source: 'urn:a', target: 'urn:b', element: [{ code: '1', target: [{ code: '2', equivalence: 'equal' }] }] },
      ],
    };
    const body = parameters(
      { name: 'conceptMap', resource: conceptMap },
      {
        name: 'codeableConcept',
        valueCodeableConcept: {
          coding: [
            { system: 'urn:a', code: '1' },
            { system: 'urn:c', code: '1' },
          ],
        },
      },
    );
    expect(printed(await post(server, '/ConceptMap/$translate', body))).toBe(
      `result=true match(equivalence=equal ${concept('urn:b', '2')})`,
    );
  });

  it.each<[string, string, number, string]>([
    ['no code', `/ConceptMap/$translate?url=${map}`, 400, 'required'],
    ['no system', `/ConceptMap/$translate?url=${map}&code=dog`, 400, 'required'],
    ['an unknown map', `/ConceptMap/$translate?url=${map}x&system=${animals}&code=dog`, 404, 'not-found'],
    ['an unknown source', `/ConceptMap/$translate?source=${map}x&system=${animals}&code=dog`, 404, 'not-found'],
  ])('refuses %s', async (_what, path, status, code) => {
    const answer = await server.get(path);
    expect([answer.status, answer.json.issue[0].code]).toEqual([status, code]);
  });
});

describe('a caller', () => {
  const tokens = testTokens();
  let guarded: Served;
  beforeAll(async () => {
    guarded = await serve([], flags, undefined, { verify: tokens.verify });
  });
  afterAll(() => guarded.close());

  it('needs a token, and no scope: definitions have nothing of a record', async () => {
    const path = `/ValueSet/$expand?url=${gender}`;
    expect((await guarded.get(path)).status).toBe(401);
    const own = { ...tokens.bearer({ scope: 'patient/Patient.r', patient: 'p1' }), 'X-Request-Id': 'expanded' };
    expect((await guarded.get(path, own)).status).toBe(200);
    expect(JSON.stringify(await eventsOf(guarded, 'expanded'))).toContain('"operation"');
  });
});

describe('patterns of a client', () => {
  const choices = (count: number): string => `(?:${Array.from({ length: count }, () => '.').join('|')})`;
  const filtered = (value: string, includes = 1): object => ({
    resourceType: 'ValueSet',
    status: 'active',
    compose: {
      include: Array.from({ length: includes }, (_, at) => ({
        system: animals,
        filter: [{ property: 'code', op: 'regex', value: value.replace('#', String(at)) }],
      })),
    },
  });
  const expandOf = (valueSet: object) =>
    post(server, '/ValueSet/$expand', parameters({ name: 'valueSet', resource: valueSet }));
  const validateOf = (valueSet: object) =>
    post(
      server,
      '/ValueSet/$validate-code',
      parameters(
        { name: 'valueSet', resource: valueSet },
        { name: 'coding', valueCoding: { system: animals, code: 'mammoth' } },
      ),
    );

  it.each([
    ['26 choices, four times', `${choices(26)}{4}!N`, []],
    ['120 choices', `${choices(120)}{4}!N`, []],
    ['a repetition of repetitions', '(?:m?a?m*)+oth', ['mammoth Mammoth']],
  ])('never backtrack: %s', async (_, pattern, expected) => {
    const valueSet = filtered(pattern, 8);
    const answer = await expandOf(valueSet);
    expect([answer.status, codesOf(answer)]).toEqual([200, expected]);
    const validated = await validateOf(valueSet);
    expect(validated.json.parameter[0]).toEqual({ name: 'result', valueBoolean: expected.length > 0 });
  });

  it.each(['(', '(m+)+(?=o)', String.raw`(m+)+\1`, `(?:a{1,30}){1,1000}`])(
    'are 422 if undecided: %s',
    async pattern => {
      for (const answer of [await expandOf(filtered(pattern)), await validateOf(filtered(pattern))])
        expect([answer.status, answer.json.issue[0].code]).toEqual([422, 'not-supported']);
    },
  );

  it('share one budget of a request', async () => {
    const large = (letter: string): object => filtered(`(?:(?:${letter}#){1,30}){1,30}`, 40);
    for (const answer of [await expandOf(large('a')), await validateOf(large('b'))])
      expect([answer.status, answer.json.issue[0].code]).toEqual([422, 'too-costly']);
  });
});
