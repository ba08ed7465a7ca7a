// https://hl7.org/fhir/R4/search.html#string
import { describe, expect, it } from 'vitest';
import { read } from './read.ts';

const patient = (rest: object) => ({ resourceType: 'Patient', ...rest });

describe('strings', () => {
  it.each([
    [
      'every part of a name, not its use',
      {
        use: 'official',
        text: 'Dr. Ann Lee',
        family: 'Lee',
        given: ['Ann', 'Marie'],
        prefix: ['Dr.'],
        suffix: ['PhD'],
      },
      ['Lee > lee', 'Ann > ann', 'Marie > marie', 'Dr. > dr', 'PhD > phd', 'Dr. Ann Lee > dr ann lee'],
    ],
    [
      'each half of a double family name, by its beginning',
      { family: 'Carreño Quiñones' },
      ['Carreño Quiñones > carreno quinones', 'Carreño Quiñones > quinones'],
    ],
    ['a hyphen between the halves', { family: 'Roy-Côté' }, ['Roy-Côté > roy cote', 'Roy-Côté > cote']],
    ['given names of two words stay one', { given: ['Jean Pierre'] }, ['Jean Pierre > jean pierre']],
    ['an empty name', {}, []],
    ['parts that are no text', { family: 4, given: [null, 'Ann', {}] }, ['Ann > ann']],
  ])('of a HumanName: %s', (_why, name, expected) => {
    expect(print(read('string', 'Patient.name', patient({ name: [name] })))).toEqual(expected);
  });

  it('of the family name alone', () => {
    const resource = patient({ name: [{ family: 'Van der Berg', given: ['Jean Pierre'] }] });
    expect(print(read('string', 'Patient.name.family', resource))).toEqual([
      'Van der Berg > van der berg',
      'Van der Berg > der berg',
      'Van der Berg > berg',
    ]);
    expect(print(read('string', 'Patient.name.given', resource))).toEqual(['Jean Pierre > jean pierre']);
  });

  it('of a family name of many words: the rest from each of the first 16, since each is as long as the name', () => {
    const family = Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ');
    const found = print(read('string', 'Patient.name.family', patient({ name: [{ family }] })));
    expect(found).toHaveLength(16);
    expect(found.at(-1)).toMatch(/ > w15 w16 /);
  });

  it('of an Address: all parts but use and period', () => {
    const address = {
      use: 'home',
      line: ['1 Main St.', 'Unit 2'],
      city: 'Montréal',
      district: 'Rive-Sud',
      state: 'QC',
      postalCode: 'H2X 1Y4',
      country: 'CA',
      text: 'Montréal, QC',
      period: { start: '2000' },
    };
    expect(print(read('string', 'Patient.address', patient({ address: [address] })))).toEqual([
      '1 Main St. > 1 main st',
      'Unit 2 > unit 2',
      'Montréal > montreal',
      'Rive-Sud > rive sud',
      'QC > qc',
      'H2X 1Y4 > h2x 1y4',
      'CA > ca',
      'Montréal, QC > montreal qc',
    ]);
  });

  it('of other data types are their texts', () => {
    const resource = patient({
      maritalStatus: { text: 'Married', coding: [{ display: 'M' }] },
      identifier: [{ value: 'A 1' }],
      telecom: [{ value: '555' }],
      meta: { tag: [{ display: 'Tagged' }] },
    });
    expect(print(read('string', 'Patient.maritalStatus', resource))).toEqual(['Married > married']);
    expect(print(read('string', 'Patient.identifier', resource))).toEqual(['A 1 > a 1']);
    expect(print(read('string', 'Patient.telecom', resource))).toEqual(['555 > 555']);
    expect(print(read('string', 'Patient.meta.tag', resource))).toEqual(['Tagged > tagged']);
    expect(print(read('string', 'Patient.active', patient({ active: true })))).toEqual([]);
  });
});

const print = (values: ReturnType<typeof read>): readonly string[] =>
  values.map(value => (value.kind === 'string' ? `${value.text} > ${value.folded}` : value.kind));
