import { array, assert, constantFrom, jsonValue, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { checkXhtml } from '../../../src/fhir/xml/xhtml.ts';
import { officialValidator, readExample } from './support/examples.ts';
import { Budget } from '../../../src/fhirpath/evaluate/environment.ts';
import type { ValidateOptions, ValidationIssue, Validator } from '../../../src/validation/profile/validator.ts';
import { observation, patient, problems, profile, url, validatorOf } from './support/validator.ts';

// What a client sends may be made to cost much: the validator's time and memory have bounds whatever comes.

/** What a validation costs at most, whatever comes: values looked at. */
const most = 2_000_000;

/** How many values were looked at, and what was found. */
function costOf(
  validator: Validator,
  resource: unknown,
  options: ValidateOptions = {},
): { readonly cost: number; readonly issues: readonly ValidationIssue[] } {
  const budget = new Budget(most);
  const issues = validator.validate(resource, { ...options, budget });
  return { cost: most - budget.left, issues };
}
const codesOf = (issues: readonly ValidationIssue[]): readonly string[] => issues.map(({ code }) => code);

describe('hostile resources', () => {
  const validator = validatorOf();

  it('with extensions deep within each other', () => {
    let extension: JsonObject = { url: 'urn:x', valueString: 'x' };
    for (let level = 0; level < 3_000; level++) extension = { url: 'urn:x', extension: [extension] };
    const { cost, issues } = costOf(validator, patient({ extension: [extension] }));
    expect([cost, codesOf(issues)]).toEqual([0, ['too-costly']]);
  });

  it('with arrays and objects of the greatest depth, each costing its depth', () => {
    let extension: JsonObject = { url: 'urn:x', valueString: 'x' };
    for (let level = 0; level < 60; level++) extension = { url: 'urn:x', extension: [extension] };
    const { cost, issues } = costOf(validator, patient({ extension: [extension] }));
    expect(cost).toBeLessThan(60 * 60 * 10);
    expect(codesOf(issues)).not.toContain('too-costly');
  });

  it('with half a million values: each costs the same', () => {
    const named = (length: number): JsonObject =>
      patient({ name: Array.from({ length }, () => ({ family: 'A', given: ['B'] })) });
    const [one, many] = [costOf(validator, named(1_000)), costOf(validator, named(100_000))];
    expect(many.cost).toBeLessThan(one.cost * 101);
    expect(codesOf(costOf(validator, named(500_000)).issues)).toContain('too-costly');
  });

  it('with a text of ten million characters, which costs no more than a short one', () => {
    const named = (text: string): JsonObject => patient({ name: [{ text }] });
    expect(costOf(validator, named('x'.repeat(10_000_000))).cost).toBe(costOf(validator, named('x')).cost);
  });

  it('that claim ten thousand profiles: the cut is said, and nothing is kept of them', () => {
    const profiles = Array.from({ length: 10_000 }, (_, at) => `https://example.org/${at}/${'x'.repeat(1_000)}`);
    const { cost, issues } = costOf(validator, patient({ meta: { profile: profiles } }), { limit: 1_000 });
    expect(cost).toBeLessThan(100_000);
    expect(issues.filter(({ rule }) => rule?.startsWith('unknown '))).toHaveLength(50);
    expect(issues.map(({ text }) => text)).toContain('Only the first 50 of the 10000 claimed profiles were checked.');
    expect(JSON.stringify(issues).length).toBeLessThan(50_000);
  });

  it('that claim profiles after many unknown ones are still checked', () => {
    const definition = profile('Patient', { 'Patient.name': { min: 1 } });
    const unknown = Array.from({ length: 50 }, (_, at) => `https://example.org/${at}`);
    const found = problems(validatorOf(definition), patient({ meta: { profile: [...unknown, definition.url] } }));
    expect(found).toContain('warning meta.profile at Patient');
  });

  it('with contained resources in contained resources', () => {
    let inner: JsonObject = { resourceType: 'Observation', id: 'x', status: 'final', code: { text: 'x' } };
    for (let level = 0; level < 60; level++) inner = { ...inner, contained: [inner], hasMember: [{ reference: '#x' }] };
    const { cost, issues } = costOf(validator, inner);
    expect(codesOf(issues)).toContain('invariant'); // dom-2
    expect(cost).toBeLessThan(most + 10_000);
  });

  it('that make an extension of a definition that contains itself', () => {
    const extensionUrl = url('loop');
    const definition = profile(
      'Extension',
      {
        'Extension.extension': { slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' } },
        'Extension.extension:again': { max: '*', type: [{ code: 'Extension', profile: [extensionUrl] }] },
        'Extension.url': { fixedUri: extensionUrl },
      },
      { name: 'loop', context: [{ type: 'element', expression: 'Element' }] },
    );
    const nested = (levels: number): JsonObject =>
      levels === 0 ? { url: extensionUrl, valueString: 'x' } : { url: extensionUrl, extension: [nested(levels - 1)] };
    const own = validatorOf(definition);
    const { cost, issues } = costOf(own, patient({ extension: [nested(95)] }));
    expect(cost).toBeLessThan(200_000);
    expect(codesOf(issues)).not.toContain('too-costly');
  });

  it.each([
    ['a chain, each target visited once', 40, 1, false],
    ['a chain that is too long: the cut is said', 100, 1, true],
    ['circles: the cut is said', 30, 29, true],
  ])('in which many ways lead from each target to the next, in %s', (_title, size, fan, cut) => {
    const places = Array.from({ length: size }, (_, at) => at);
    const next = (at: number, step: number): number | undefined =>
      fan > 1 ? (at + step) % size : at + 1 < size ? at + 1 : undefined;
    const definitions = places.map(at =>
      profile(
        'Observation',
        next(at, 1) === undefined
          ? { 'Observation.method': { min: 1 } }
          : { 'Observation.hasMember': { type: [{ code: 'Reference', targetProfile: [url(`p${next(at, 1)}`)] }] } },
        { name: `p${at}` },
      ),
    );
    const contained = places.map(at => ({
      ...observation({ id: `o${at}` }),
      hasMember: (fan > 1 ? places.slice(1) : [1, 1]).flatMap(step => {
        const to = next(at, step);
        return to === undefined ? [] : [{ reference: `#o${to}` }];
      }),
    }));
    const resource = observation({ contained, hasMember: [{ reference: '#o0' }, { reference: '#o0' }] });
    const { cost, issues } = costOf(validatorOf(...definitions), resource, { profiles: [url('p0')] });
    expect(codesOf(issues).includes('too-costly')).toBe(cut);
    expect(cost).toBeLessThan(size * size * 100);
  });

  it('that make a rule cost more than its size: the cut is said', () => {
    const rule = {
      key: 'x-1',
      severity: 'error',
      human: 'x',
      expression: 'component.all(%resource.component.code.text.where($this = %context.code.text).count() > 0)',
    };
    const definition = profile('Observation', { Observation: { constraint: [rule] } });
    const component = Array.from({ length: 20_000 }, () => ({ code: { text: 'x' } }));
    const own = validatorOf(definition);
    expect(codesOf(costOf(own, observation({ component }), { profiles: [definition.url] }).issues)).toContain(
      'too-costly',
    );
  });

  it.each([
    ['a pattern with a repetition in a repetition is decided', '^(a+)+$', 'a'.repeat(50_000) + 'b', 'invariant'],
    ['a pattern with choices that overlap is decided', '^(a|aa)+$', 'a'.repeat(100) + 'b', 'invariant'],
    ['a pattern with many repetitions is decided', 'a*a*a*a*a*a*b', 'a'.repeat(3_000), 'invariant'],
    ['a text longer than any pattern is run on is a warning', '^a', 'b'.repeat(1_000_000), 'too-costly'],
  ])('%s', (_title, pattern, text, found) => {
    const rule = { key: 'x-1', severity: 'error', human: 'x', expression: `text.matches('${pattern}')` };
    const definition = profile('Observation', { 'Observation.code': { constraint: [rule] } });
    const { cost, issues } = costOf(validatorOf(definition), observation({ code: { text } }), {
      profiles: [definition.url],
    });
    expect(issues.filter(({ rule }) => rule !== 'dom-6').map(({ severity, code }) => [severity, code])).toEqual([
      [found === 'invariant' ? 'error' : 'warning', found],
    ]);
    expect(cost).toBeLessThan(most / 10);
  });

  it.each([
    ['texts that double', "name.given.aggregate($total & $this & $total, 'a').length() > 0"],
    ['texts that double by `+`', "name.given.aggregate($total + $total, 'aa').length() > 0"],
    ['collections that double', 'name.given.aggregate($total.combine($total), 1 | 2).count() > 0'],
    ['a replacement that is long', "name.text.replace('', name.family).length() > 0"],
    ['replaced matches that double', "name.given.aggregate($total.replaceMatches('a', 'aaaa'), 'a').length() > 0"],
    ['a repetition that always finds something', 'name.given.count().repeat($this + 1).count() > 0'],
    ['the same in fhirpath.js', '1.0.repeat($this + 1.0).count() > 0'],
    ['a search for what is nearly there', 'name.family.contains(name.text)'],
    ['comparisons of the whole resource', 'name.given.all(%resource.name = %resource.name)'],
    ['unions of the whole resource', 'name.given.all(%resource.name.union(%resource.name).exists())'],
  ])('%s in a rule have an end', (_title, expression) => {
    const rule = { key: 'x-1', severity: 'error', human: 'x', expression };
    const definition = profile('Patient', { Patient: { constraint: [rule] } });
    const given = Array.from({ length: 5_000 }, () => 'a');
    const name = [{ text: `${'a'.repeat(400_000)}b`, family: 'a'.repeat(800_000), given }];
    const { issues } = costOf(validatorOf(definition), patient({ name }), { profiles: [definition.url] });
    expect(codesOf(issues)).toContain('too-costly');
  });

  it('with names of properties that objects have anyway', () => {
    const resource = JSON.parse(
      '{"resourceType":"Patient","__proto__":{"a":1},"constructor":[],"_toString":{"id":"x"}}',
    ) as unknown;
    expect(validator.validate(resource).every(({ code }) => code === 'structure' || code === 'invariant')).toBe(true);
  });

  it.each([undefined, null, 1, 'x', [], {}, { resourceType: 'Nothing' }, { resourceType: 1 }])('that are %j', value => {
    expect(validator.validate(value)).toMatchObject([{ severity: 'error', code: 'structure' }]);
  });

  it.each([
    patient({
      name: 'x',
      contact: [[], null, 1],
      extension: { url: 'x' },
      contained: [null, 1, {}],
      meta: { profile: 'x' },
      identifier: [{ type: [] }],
    }),
    observation({
      component: [{ code: [] }],
      code: 'x',
      subject: 'Patient/1',
      valueQuantity: [1],
      category: [{ coding: {} }],
    }),
    {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [null, { resource: [] }, { resource: { resourceType: 'Patient', name: [1] } }],
    },
  ])('whose values are of other kinds than they should be (%#)', resource => {
    expect(validator.validate(resource).some(({ severity }) => severity === 'error')).toBe(true);
  });
});

describe('any JSON', () => {
  const official = officialValidator();
  const names = [
    'Patient-example',
    'Observation-blood-pressure',
    'Questionnaire-bb',
    'Bundle-bundle-example',
    'StructureDefinition-bp',
    'MedicationRequest-medrx0301',
    'ValueSet-example-extensional',
  ];
  const profiles = ['bp', 'vitalsigns', 'cqf-questionnaire', 'shareablevalueset'].map(
    name => `http://hl7.org/fhir/StructureDefinition/${name}`,
  );

  /** A copy in which the values at some places, counted through the whole, are others. */
  function replaced(value: unknown, at: ReadonlyMap<number, unknown>): unknown {
    let count = 0;
    const copy = (one: unknown): unknown => {
      const place = count++;
      if (place > 0 && at.has(place)) return at.get(place);
      if (Array.isArray(one)) return one.map(copy);
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, copy(inner)]));
    };
    return copy(value);
  }

  it('in place of any part of a resource is reported, and nothing throws', () => {
    const resources = names.map(readExample);
    assert(
      property(
        constantFrom(...resources),
        array(tuple(nat(300), jsonValue()), { minLength: 1, maxLength: 4 }),
        (resource, changes) => {
          const issues = official.validate(replaced(resource, new Map(changes)), { profiles });
          expect(issues.every(({ text, severity }) => text !== '' && severity !== undefined)).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
  }, 60_000);
});

describe('the limit of issues', () => {
  const gaps = (count: number): JsonObject =>
    patient({ contact: Array.from({ length: count }, () => ({ gender: 'male' })) });

  it('is 100, and the cut is said', () => {
    const issues = validatorOf().validate(gaps(150));
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toEqual({
      severity: 'information',
      code: 'incomplete',
      text: 'The first 100 findings are listed; the rest was not checked. Correct them and validate again.',
    });
  });

  it.each<[title: string, make: (count: number) => JsonObject]>([
    ['rules', gaps],
    ['codes', count => patient({ name: Array.from({ length: count }, () => ({ use: 'x' })) })],
    ['types', count => patient({ name: Array.from({ length: count }, () => 5) })],
  ])('ends the checks of %s, so that the number of mistakes does not matter', (_, make) => {
    const [some, many] = [costOf(validatorOf(), make(200)), costOf(validatorOf(), make(60_000))];
    expect(many.issues).toEqual(some.issues);
    expect(many.cost).toBeLessThanOrEqual(some.cost + 60_000); // they are counted once
  });

  it('counts what only warns, since an error may follow', () => {
    const tags = Array.from({ length: 150 }, () => ({ url: 'https://example.org/none', valueString: 'x' }));
    const issues = validatorOf().validate({ ...patient({ extension: tags }), gender: 'none' });
    expect(issues.map(({ severity }) => severity)).toContain('error');
  });

  it('may be another, and errors come before what only warns', () => {
    const issues = validatorOf().validate({ ...gaps(3), language: 'xx-nothing' }, { limit: 2 });
    expect(issues.map(({ severity }) => severity)).toEqual(['error', 'error', 'information']);
  });
});

describe('narratives', () => {
  const div = (content: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`;

  it.each<[title: string, text: string, wrong: string | undefined, content: boolean]>([
    ['a paragraph', div('<p>a &amp; b &#160; &#xA0;<br/></p>'), undefined, true],
    [
      'an entity of HTML',
      div('<p>a &nbsp;<br/></p>'),
      'has `&nbsp;`, which XML does not have; write the character itself or its number, such as `&#160;`',
      true,
    ],
    ['a picture', div('<img src="#a" alt="x"/>'), undefined, true],
    ['nothing', div(' '), undefined, false],
    ['no div', '<p>a</p>', 'does not begin with `<div`', false],
    ['no namespace', '<div>a</div>', 'lacks `xmlns="http://www.w3.org/1999/xhtml"`', false],
    ['a script', div('<script>x</script>'), 'has the element `script`, which a narrative may not have', false],
    [
      'an event',
      div('<p onclick="x">a</p>'),
      'has the attribute `onclick` on `p`, which a narrative may not have',
      false,
    ],
    ['a link that runs', div('<a href=" javascript:x">a</a>'), 'has a link that would run a script', false],
    ['an element that is left open', div('<p>a'), 'closes `div` where `p` is open', true],
    ['a bare ampersand', div('a & b'), 'has an `&` that begins no entity; write `&amp;`', true],
    ['a second one', div('a') + div('b'), 'has content after its `div`', true],
    ['a comment', div('<!-- a --><p>b</p>'), undefined, true],
    ['a comment without end', div('<!-- a'), 'has a comment that is not closed', false],
    [
      'an attribute without quotes',
      div('<p class=a>b</p>'),
      'has an attribute `class` without a value in quotes',
      false,
    ],
  ])('%s', (_title, text, wrong, content) => {
    expect(checkXhtml(text)).toEqual({ wrong, content });
  });

  it.each([
    '<div '.repeat(100_000),
    div('<p>'.repeat(100_000)),
    div('&'.repeat(100_000)),
    div('<a b="'.repeat(100_000)),
    `<div${' '.repeat(200_000)}`,
  ])('of a form that could cost much (%#)', text => {
    expect(checkXhtml(text).wrong).toEqual(expect.any(String));
  });
});
