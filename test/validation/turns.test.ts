import { expect, it } from 'vitest';
import { inTurn } from '../../src/validation/turns.ts';

it('lets others have their turn between works that take long, and passes on what they give and throw', async () => {
  const done: string[] = [];
  const work = (name: string) => () => {
    setImmediate(() => done.push('others'));
    const begun = performance.now();
    while (performance.now() - begun < 30);
    done.push(name);
    if (name === '2') throw new Error('broken');
    return name;
  };
  const results = await Promise.allSettled(['1', '2', '3'].map(name => inTurn(work(name))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(done).toEqual(['1', 'others', '2', 'others', '3']);
});
