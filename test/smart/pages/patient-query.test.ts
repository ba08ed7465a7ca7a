import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datesIn, patientQueries } from '../../../src/smart/pages/patient-query.ts';

const printed = (typed: string): readonly string[] =>
  patientQueries(typed).map(pairs => pairs.map(([name, value]) => `${name}=${value}`).join('&'));

describe('what is typed to find a patient', () => {
  const examples: readonly [title: string, typed: string, queries: readonly string[]][] = [
    ['nothing', '', []],
    ['spaces and marks alone', ' , ; - ', []],
    ['a name', 'Tremblay', ['name=Tremblay']],
    ['two names in any order', 'Zoë  Tremblay', ['name=Zoë&name=Tremblay', 'name=Zoë-Tremblay']],
    ['a list as it is printed', 'TREMBLAY, Zoë', ['name=TREMBLAY&name=Zoë', 'name=TREMBLAY-Zoë']],
    ['three names', 'a b c', ['name=a&name=b&name=c', 'name=a-b&name=c', 'name=a&name=b-c']],
    ['four names', 'a b c d', ['name=a&name=b&name=c&name=d']],
    [
      'a name with a hyphen and an apostrophe',
      "Marc-André O'Neil",
      ["name=Marc-André&name=O'Neil", "name=Marc-André-O'Neil"],
    ],
    ['what means something in a search', 'a|b$c\\d', ['name=a\\|b\\$c\\\\d']],
    ['a date of birth', '1980-02-29', ['birthdate=1980-02-29']],
    ['a name and a date', 'Tremblay 1980-02-29', ['name=Tremblay&birthdate=1980-02-29']],
    ['day, month and year', '29/02/1980', ['birthdate=1980-02-29']],
    ['month, day and year', '02/29/1980', ['birthdate=1980-02-29']],
    ['what may be either', '03/04/1980', ['birthdate=1980-04-03,1980-03-04']],
    ['what is the same either way', '4.4.1980', ['birthdate=1980-04-04']],
    ['a date in words', '29 Feb 1980 Tremblay', ['name=Tremblay&birthdate=1980-02-29']],
    ['a date in American words', 'Feb. 29, 1980', ['birthdate=1980-02-29']],
    ['a date in French words', '29 février 1980', ['birthdate=1980-02-29']],
    ['the first of a month in French', '1er août 1980', ['birthdate=1980-08-01']],
    ['a month that several begin with', '3 ma 1980', ['name=ma&birthdate=1980&identifier=3']],
    ['a month and a year', '1980-02', ['birthdate=1980-02']],
    ['a year', 'martin 1970', ['name=martin&birthdate=1970']],
    ['eight digits that are a date', '19800229', ['birthdate=1980-02-29', 'identifier=19800229']],
    ['eight digits that are none', '19810229', ['identifier=19810229']],
    ['a day that no calendar has', '1981-02-29', ['identifier=1981-02-29,19810229']],
    ['a health number', '1234567890', ['identifier=1234567890']],
    ['a health number in groups', '1234 567 890', ['identifier=1234-567-890,1234567890']],
    ['a health number with its version', '1234-567-890-AB', ['identifier=1234-567-890-AB,1234567890AB']],
    ['a name with a number', 'p1 Tremblay', ['name=Tremblay&identifier=p1']],
  ];
  it.each(examples)('%s', (_, typed, queries) => {
    expect(printed(typed)).toEqual(queries);
  });

  it('is always made of searches that have something to look for, whatever is typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), typed => {
        const queries = patientQueries(typed);
        expect(queries.length).toBeLessThan(5);
        for (const query of queries) {
          expect(query.length).toBeGreaterThan(0);
          for (const [, value] of query) expect(value.replaceAll(',', '')).not.toBe('');
        }
      }),
    );
  });
});

describe('marks and spaces', () => {
  it('are nothing to search for', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(' ', ...'.,;:-_/|$\\*%"<>()'.split('')) }), typed => {
        expect(patientQueries(typed)).toEqual([]);
      }),
    );
  });
});

describe('dates that are typed', () => {
  it('are read in every form in which a day is written', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1890-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), date => {
        const iso = date.toISOString().slice(0, 10);
        const [y = '', m = '', d = ''] = iso.split('-');
        const words = (locale: string): string =>
          new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
        const forms = [iso, `${y}/${m}/${d}`, `${y}${m}${d}`, `${d}/${m}/${y}`, `${m}.${d}.${y}`];
        for (const form of [...forms, words('en-CA'), words('en-GB'), words('fr-CA')]) {
          const { dates, rest } = datesIn(`x ${form} y`);
          expect([form, dates.length]).toEqual([form, 1]);
          expect(dates[0]?.values).toContain(iso);
          expect(rest.replace(/\s+/g, ' ')).toBe('x y');
        }
      }),
    );
  });
});
