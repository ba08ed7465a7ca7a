// Slots: so many at a time, others in turns.
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSlots } from '../../src/limits/slots.ts';

it('those with one key are served in their order, and keys in turns', async () => {
  const slots = createSlots(1);
  const ends = new Map<string, () => void>();
  const served: string[] = [];
  const end = await slots.take('a');
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
    void slots.take(name.slice(0, 1)).then(release => {
      served.push(name);
      ends.set(name, release);
    });
  end();
  end(); // a second call releases nothing more
  for (let at = 0; at < 6; at += 1) {
    await setImmediate();
    expect(served).toHaveLength(at + 1);
    ends.get(served[at]!)?.();
  }
  expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});
