import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { Ids } from '../../src/interaction/search/ids.ts';

it('a set of ids is what a Set is, few or many', () => {
  const id = fc.integer({ min: 1, max: 100 }).map(n => `id-${n}`);
  fc.assert(
    fc.property(fc.array(id, { maxLength: 120 }), added => {
      const [ids, expected] = [new Ids(), new Set<string>()];
      for (const one of added) {
        expect(ids.has(one)).toBe(expected.has(one));
        expect(ids.add(one)).toBe(!expected.has(one));
        expected.add(one);
        expect(ids.has(one)).toBe(true);
      }
      expect(ids.values()).toEqual([...expected]);
    }),
  );
});
