// https://hl7.org/fhir/R4/search.html#score
import { describe, expect, it } from 'vitest';
import { joinWords, printWords } from '../../src/indexing/words.ts';
import { scoredParameters, scoreOf } from '../../src/search/score.ts';
import { entry, search, words } from './thing.ts';

const filler = (count: number): string => 'x '.repeat(count);
const score = (query: string, ...texts: readonly string[]): number | undefined =>
  scoreOf(search(query).query, [entry('narrative', words(...texts))]);

describe('the score of a record', () => {
  it.each([
    ['one word of one', 'narrative=chest', ['chest'], 0.7639],
    ['one word in a usual text', 'narrative=chest', [`chest ${filler(99)}`], 0.4545],
    ['two occurrences', 'narrative=chest', [`chest chest ${filler(98)}`], 0.625],
    ['the mean of two words', 'narrative=chest pain', [`chest chest pain ${filler(97)}`], 0.5398],
    ['occurrences of a phrase', 'narrative="chest pain"', [`chest pain chest pain pain ${filler(95)}`], 0.625],
    ['occurrences of a beginning', 'narrative=pai*', [`pain painful pa ${filler(97)}`], 0.625],
    ['the mean of two parameters', 'narrative=chest&narrative=pain', [`chest chest pain ${filler(97)}`], 0.5398],
    ['the highest of alternatives', 'narrative=chest,pain', [`chest chest pain ${filler(97)}`], 0.625],
    ['alternatives that do not match', 'narrative=chest nothing,pain', [`chest pain ${filler(98)}`], 0.4545],
    ['no match', 'narrative=nothing', ['chest'], undefined],
    ['no words in the query', 'code=a', ['chest'], undefined],
    ['a word beside other parameters', 'narrative=chest&code=a', ['chest'], 0.7639],
  ])('%s: %s', (_, query, texts, expected) => {
    expect(score(query, ...texts)).toBe(expected);
  });

  it('is between 0 and 1, and falls with the length', () => {
    const scores = [1, 10, 1_000, 1_000_000].map(length => score('narrative=chest', `chest ${filler(length)}`) ?? -1);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every(one => one >= 0 && one <= 1)).toBe(true);
    expect(score('narrative=x', filler(1_000_000))).toBeLessThanOrEqual(1);
  });

  it('depends on the words of the query alone', () => {
    expect(scoredParameters(search('narrative=a&remark:text=b&name=c').query).map(({ code }) => code)).toEqual([
      'narrative',
      'remark:text',
    ]);
    expect(joinWords(printWords('a'), printWords('b'))).toBe(' a . b ');
  });
});
