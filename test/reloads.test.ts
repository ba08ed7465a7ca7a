import { describe, expect, it } from 'vitest';
import { createReloads } from '../src/engine/reloads.ts';

describe('reloads', () => {
  it('reads what is registered in its order, one request after the other', async () => {
    const done: string[] = [];
    const reloads = createReloads();
    const slow = Promise.withResolvers<void>();
    reloads.add(() => slow.promise.then(() => void done.push('first')));
    reloads.add(() => void done.push('second'));
    reloads.started();
    const one = reloads.reload();
    await Promise.resolve(); // it has begun, so that the next is another one
    const two = reloads.reload();
    slow.resolve();
    await one;
    expect(done).toEqual(['first', 'second']);
    await two;
    expect(done).toEqual(['first', 'second', 'first', 'second']);
  });

  it('waits for the end of the start, however often it was asked, and reads once', async () => {
    const done: string[] = [];
    const reloads = createReloads();
    const asked = [reloads.reload(), reloads.reload()];
    reloads.add(() => void done.push('read'));
    await Promise.resolve();
    expect(done).toEqual([]);
    reloads.started();
    await Promise.all(asked);
    expect(done).toEqual(['read']);
  });

  it('reads nothing once the server shuts down, also where it was asked before', async () => {
    const done: string[] = [];
    const reloads = createReloads();
    reloads.add(() => void done.push('read'));
    const asked = reloads.reload();
    reloads.ended();
    await Promise.all([asked, reloads.reload()]);
    expect(done).toEqual([]);
  });
});
