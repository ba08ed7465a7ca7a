import { describe, expect, it } from 'vitest';
import { makeOnce } from '../src/limits/cache.ts';

describe('what is made once', () => {
  it('is made when it is first asked for, for all who ask', async () => {
    let made = 0;
    const get = makeOnce(async () => ++made);
    expect(made).toBe(0);
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect([await get(), made]).toEqual([1, 1]);
  });

  it('is made again after a failure, which those hear who asked until then', async () => {
    let tries = 0;
    const get = makeOnce(async () => {
      tries += 1;
      if (tries === 1) throw new Error('Too many files are open');
      return tries;
    });
    const [one, other] = await Promise.allSettled([get(), get()]);
    expect([one.status, other.status, tries]).toEqual(['rejected', 'rejected', 1]);
    expect([await get(), await get()]).toEqual([2, 2]);
  });
});
