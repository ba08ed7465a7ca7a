import { describe, expect, it } from 'vitest';
import { createAnswers } from '../../src/terminology/answer.ts';

describe('kept answers', () => {
  it('are so many at most, those that were asked for last', () => {
    const answers = createAnswers(() => 0, 2);
    answers.set('a', 'in');
    answers.set('b', 'out');
    answers.get('a');
    answers.set('c', 'in');
    expect(['a', 'b', 'c'].map(key => answers.get(key))).toEqual(['in', undefined, 'in']);
  });

  it('are none of a server that did not answer', () => {
    const answers = createAnswers(() => 0);
    answers.set('a', 'unreachable');
    expect(answers.get('a')).toBeUndefined();
  });

  it.each([
    ['in', 24],
    ['out', 24],
    ['unsure', 1],
  ] as const)('of the kind `%s` are good for %i h', (answer, hours) => {
    let time = 0;
    const answers = createAnswers(() => time);
    answers.set('a', answer);
    time = hours * 3_600_000 - 1;
    expect(answers.get('a')).toBe(answer);
    time++;
    expect(answers.get('a')).toBeUndefined();
  });
});
