import { describe, expect, it } from 'vitest';
import { didYouMean, suggest } from '../../src/fhir/suggest.ts';

describe('suggest', () => {
  it.each([
    ['nmae', ['family', 'name'], 'name'],
    ['Birthdate', ['birthdate'], 'birthdate'],
    ['recorded_date', ['date', 'recorded-date'], 'recorded-date'],
    ['colour', ['name', 'code'], undefined],
    ['x', [], undefined],
    ['x'.repeat(10_000), ['name'], undefined],
  ])('takes %s for the nearest of %j', (given, known, expected) => {
    expect(suggest(given, known)).toBe(expected);
  });

  it('ends a sentence', () => {
    expect(didYouMean('nmae', ['name'])).toBe(' Did you mean `name`?');
    expect(didYouMean('colour', ['name'])).toBe('');
  });
});
