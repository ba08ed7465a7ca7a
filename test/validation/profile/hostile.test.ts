import { array, assert, constantFrom, jsonValue, nat, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/definitions/json-object.ts';
import { checkXhtml } from '../../../src/validation/profile/xhtml.ts';
import { officialValidator, readExample } from './support/examples.ts';
import { against, observation, patient, profile, validatorOf } from './support/validator.ts';

// What a client sends may be made to cost much: the validator's time and memory have bounds whatever comes.

/** Of this thread alone: other work goes on beside the tests. */
const milliseconds = (work: () => unknown): number => {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
};
const bound = 3_000;

describe('hostile resources', () => {
  const validator = validatorOf();

  it('with extensions deep within each other', () => {
    let extension: JsonObject = { url: 'urn:x', valueString: 'x' };
    for (let level = 0; level < 3_000; level++) extension = { url: 'urn:x', extension: [extension] };
    expect(milliseconds(() => validator.validate(patient({ extension: [extension] })))).toBeLessThan(bound);
  });

  it('with a million values', () => {
    const name = Array.from({ length: 250_000 }, () => ({ family: 'A', given: ['B'] }));
    expect(milliseconds(() => validator.validate(patient({ name })))).toBeLessThan(bound);
  });

  it('with many contained resources that all refer to each other', () => {
    const contained = Array.from({ length: 3_000 }, (_, index) => ({
      resourceType: 'Observation',
      id: `o${index}`,
      status: 'final',
      code: { text: 'x' },
      hasMember: [{ reference: `#o${(index + 1) % 3_000}` }],
    }));
    expect(milliseconds(() => validator.validate(observation({ contained })))).toBeLessThan(bound);
  });

  it('that make a rule cost more than its size: the cut is said', () => {
    const rule = { key: 'x-1', severity: 'error', human: 'x', expression: 'component.all(%resource.component.code.text.where($this = %context.code.text).count() > 0)' }; // prettier-ignore
    const definition = profile('Observation', { Observation: { constraint: [rule] } });
    const component = Array.from({ length: 20_000 }, () => ({ code: { text: 'x' } }));
    const own = validatorOf(definition);
    let issues: readonly { readonly code: string }[] = [];
    expect(milliseconds(() => (issues = own.validate(observation({ component }), { profiles: [definition.url] })))).toBeLessThan(bound); // prettier-ignore
    expect(issues.map(({ code }) => code)).toContain('too-costly');
  });

  it.each([
    ['a pattern with a repetition in a repetition', '^(a+)+$', 'a'.repeat(50_000) + 'b'],
    ['a pattern with choices that overlap', '^(a|aa)+$', 'a'.repeat(100) + 'b'],
    ['a pattern with many repetitions', 'a*a*a*a*a*a*b', 'a'.repeat(3_000)],
    ['a text longer than any pattern is run on', '^a', 'b'.repeat(1_000_000)],
  ])('%s is given up, and nobody is held to it', (_title, pattern, text) => {
    const rule = { key: 'x-1', severity: 'error', human: 'x', expression: `text.matches('${pattern}')` };
    const definition = profile('Observation', { 'Observation.code': { constraint: [rule] } });
    let found: readonly string[] = [];
    expect(milliseconds(() => (found = against(definition, observation({ code: { text } }))))).toBeLessThan(bound);
    expect(found).toEqual([]);
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
  const names = ['Patient-example', 'Observation-blood-pressure', 'Questionnaire-bb', 'Bundle-bundle-example', 'StructureDefinition-bp', 'MedicationRequest-medrx0301', 'ValueSet-example-extensional']; // prettier-ignore
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

  it('in place of any part of a resource is told about, and nothing throws', () => {
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
      text: 'The first 100 findings are listed, and there are 51 more. Mend them and validate again.',
    });
  });

  it('may be another, and errors come before what only warns', () => {
    const issues = validatorOf().validate({ ...gaps(3), language: 'xx-nothing' }, { limit: 2 });
    expect(issues.map(({ severity }) => severity)).toEqual(['error', 'error', 'information']);
  });
});

describe('narratives', () => {
  const div = (content: string): string => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`;

  it.each<[title: string, text: string, wrong: string | undefined, content: boolean]>([
    ['a paragraph', div('<p>a &amp; b &#160; &nbsp;<br/></p>'), undefined, true],
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
    ['a second one', div('a') + div('b'), 'has something after its `div`', true],
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
    expect(milliseconds(() => checkXhtml(text))).toBeLessThan(bound);
  });
});
