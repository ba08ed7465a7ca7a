// https://hl7.org/fhir/R4/profiling.html
import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import type { ProfileElement } from '../../src/model/profile.ts';
import { checkProfile } from '../../src/validation/profile.ts';

const any = { min: 0, max: Infinity, choice: false, types: [], fixed: undefined, pattern: undefined, valueSet: undefined, children: [] }; // prettier-ignore
const element = (name: string, fields: Partial<ProfileElement> = {}): ProfileElement => ({ ...any, name, ...fields });
const type = (code: string, fields: object = {}) => ({ code, targets: [], aggregation: [], ...fields });

/** What is wrong with a resource by a profile of these elements, as `code expression`. */
function check(resource: object, ...children: ProfileElement[]): readonly string[] {
  const codes = new Set(['red', 'green']);
  const model: Pick<Model, 'codes' | 'profile'> = {
    profile: () => element('Thing', { children }),
    codes: url => (url === 'colours' ? { codes, has: (code, system = 'paint') => system === 'paint' && codes.has(code) } : undefined), // prettier-ignore
  };
  return checkProfile(resource, 'https://example.org/profile', model).map(
    ({ code, expression = '' }) => `${code} ${expression}`,
  );
}

describe('checkProfile', () => {
  it.each<[string, object, ProfileElement, readonly string[]]>([
    ['an element that must be there', {}, element('a', { min: 1 }), ['required Thing.a']],
    ['one that is there as an extension', { _a: { id: 'x' } }, element('a', { min: 1 }), []],
    ['several', { a: [1] }, element('a', { min: 2 }), ['required Thing.a']],
    ['too many', { a: [1, 2, 3] }, element('a', { max: 2 }), ['structure Thing.a']],
    ['none at all', { a: 1 }, element('a', { max: 0 }), ['structure Thing.a']],
    ['a choice that must be there', {}, element('a', { choice: true, min: 1 }), ['required Thing.a']],
    ['a choice in a type', { aString: 'x' }, element('a', { choice: true, min: 1, types: [type('string')] }), []],
    ['a choice in another type', { aCode: 'x' }, element('a', { choice: true, types: [type('string')] }), ['structure Thing.a']], // prettier-ignore
    ['a fixed value', { a: 'x' }, element('a', { fixed: 'y' }), ['value Thing.a']],
    [
      'a fixed object, which has nothing more',
      { a: { b: 1, c: 2 } },
      element('a', { fixed: { b: 1 } }),
      ['value Thing.a'],
    ],
    ['a pattern, which may', { a: { b: 1, c: [{ d: 2 }, { e: 3, f: 4 }] } }, element('a', { pattern: { c: [{ f: 4 }] } }), []], // prettier-ignore
    [
      'a pattern that is missed',
      { a: { c: [{ d: 2 }] } },
      element('a', { pattern: { c: [{ f: 4 }] } }),
      ['value Thing.a'],
    ],
    ['a pattern in each item', { a: ['x', 'y'] }, element('a', { pattern: 'x' }), ['value Thing.a[1]']],
    ['a code', { a: 'blue' }, element('a', { valueSet: 'colours' }), ['code-invalid Thing.a']],
    ['a code of a ValueSet that nobody knows', { a: 'blue' }, element('a', { valueSet: 'none' }), []],
    ['a Coding', { a: { system: 'paint', code: 'red' } }, element('a', { valueSet: 'colours' }), []],
    ['a Coding of another system', { a: { system: 'ink', code: 'red' } }, element('a', { valueSet: 'colours' }), ['code-invalid Thing.a']], // prettier-ignore
    ['a concept with one coding that fits', { a: { coding: [{ code: 'x' }, { system: 'paint', code: 'green' }] } }, element('a', { valueSet: 'colours' }), []], // prettier-ignore
    ['a concept of text alone', { a: { text: 'red', coding: [] } }, element('a', { valueSet: 'colours' }), ['code-invalid Thing.a']], // prettier-ignore
    ['a target', { a: { reference: 'Patient/1' } }, element('a', { types: [type('Reference', { targets: ['Group'] })] }), ['value Thing.a.reference']], // prettier-ignore
    ['a target elsewhere', { a: { reference: 'https://example.org/Group/1' } }, element('a', { types: [type('Reference', { targets: ['Group'] })] }), []], // prettier-ignore
    ['a contained one', { a: { reference: '#1' } }, element('a', { types: [type('Reference', { aggregation: ['referenced'] })] }), ['value Thing.a.reference']], // prettier-ignore
    ['what is within', { a: [{ b: 1 }, {}] }, element('a', { children: [element('b', { min: 1 })] }), ['required Thing.a[1].b']], // prettier-ignore
    ['nothing within what is not there', {}, element('a', { children: [element('b', { min: 1 })] }), []],
    ['nothing within what is no object', { a: 'x' }, element('a', { children: [element('b', { min: 1 })] }), []],
  ])('%s', (_, resource, child, expected) => {
    expect(check(resource, child)).toEqual(expected);
  });

  it('tells of everything', () => {
    expect(check({ b: 1 }, element('a', { min: 1 }), element('b', { max: 0 }))).toEqual([
      'required Thing.a',
      'structure Thing.b',
    ]);
  });
});
