// https://docs.snomed.org/snomed-ct-specifications/ecl
import { describe, expect, it } from 'vitest';
import { codeSystemOf } from '../../src/terminology/code-system.ts';
import { codesOfEcl } from '../../src/terminology/ecl.ts';

/** A few concepts with their parents, and attributes as properties. */
const concepts: readonly (readonly [code: string, parents: string, attributes?: string])[] = [
  ['138875005', ''],
  ['404684003', '138875005'],
  ['64572001', '404684003'],
  ['22298006', '64572001', '363698007=80891009 116676008=55641003 memberOf=700043003'],
  ['56265001', '64572001', '363698007=80891009'],
  ['195967001', '64572001 404684003', '363698007=39607008'],
  ['123037004', '138875005'],
  ['80891009', '123037004', 'memberOf=700043003'],
  ['39607008', '123037004'],
  ['55641003', '138875005'],
];
const system = codeSystemOf({
  resourceType: 'CodeSystem',
  url: 'http://snomed.info/sct',
  content: 'complete',
  property: ['363698007', '116676008', 'memberOf'].map(code => ({ code, type: 'code' })),
  concept: concepts.map(([code, parents, attributes = '']) => ({
    code,
    property: [
      ...parents
        .split(' ')
        .filter(Boolean)
        .map(valueCode => ({ code: 'parent', valueCode })),
      ...attributes
        .split(' ')
        .filter(Boolean)
        .map(one => ({ code: one.split('=')[0], valueCode: one.split('=')[1] })),
    ],
  })),
});
const select = (text: string): string => [...codesOfEcl(text, system)].sort().join(' ');

describe('an expression', () => {
  it.each([
    ['64572001', '64572001'],
    ['64572001 |Disease (disorder)|', '64572001'],
    ['< 64572001', '195967001 22298006 56265001'],
    ['<< 64572001', '195967001 22298006 56265001 64572001'],
    ['> 22298006', '138875005 404684003 64572001'],
    ['>> 64572001', '138875005 404684003 64572001'],
    ['<! 404684003', '195967001 64572001'],
    ['>! 195967001', '404684003 64572001'],
    ['< 64572001 AND << 22298006', '22298006'],
    ['22298006 OR 56265001 OR 39607008', '22298006 39607008 56265001'],
    ['< 64572001 MINUS 22298006', '195967001 56265001'],
    ['(< 64572001 MINUS 22298006) OR 80891009', '195967001 56265001 80891009'],
    ['< 64572001 /* a comment */ and << 22298006', '22298006'],
    ['< 64572001 : 363698007 = 80891009', '22298006 56265001'],
    ['< 64572001 : 363698007 |Finding site| = << 123037004 |Body structure|', '195967001 22298006 56265001'],
    ['< 64572001 : { 363698007 = 80891009 }', '22298006 56265001'],
    ['< 64572001 : 363698007 = 80891009, 116676008 = *', '22298006'],
    ['< 64572001 : * = 55641003', '22298006'],
    ['< 64572001 : 363698007 != 80891009', '195967001'],
    ['* MINUS << 138875005', ''],
  ])('%s', (text, expected) => {
    expect(select(text)).toBe(expected);
  });

  it.each([
    ['', 'it is empty'],
    ['<', 'it ends too early'],
    ['^ 700043003 |a set|', '`700043003` is no code'],
    ['99', '`99` is no code of `http://snomed.info/sct`'],
    ['64572001 64572001', '`64572001` is not expected'],
    ['22298006 OR 56265001 AND 39607008', 'need parentheses'],
    ['(22298006', 'not closed'],
    ['< 64572001 : 363698007 80891009', 'followed by `=`'],
    ['< 64572001 {{ term = "x" }}', 'not expected'],
    [`${'('.repeat(60)}22298006${')'.repeat(60)}`, 'too many parentheses'],
    ['1'.repeat(5_000), 'longer than'],
  ])('%s cannot be evaluated', (text, problem) => {
    expect(() => select(text)).toThrow(problem);
  });

  it('selects the members of a reference set that is a concept', () => {
    const more = codeSystemOf({
      url: 'http://snomed.info/sct',
      content: 'complete',
      property: [{ code: 'memberOf', type: 'code' }],
      concept: [{ code: '700043003' }, { code: '1', property: [{ code: 'memberOf', valueCode: '700043003' }] }],
    });
    expect([...codesOfEcl('^ 700043003', more)]).toEqual(['1']);
  });
});
