import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexEntry } from '../../../src/indexing/entry.ts';
import type { ResourceType, SearchParam } from '../../../src/model/model.ts';
import type { Query, Test } from '../../../src/search/ast.ts';
import { matches } from '../../../src/search/matches.ts';
import { countMatches } from '../../../src/store/mongo/count.ts';
import {
  canonical,
  entry,
  model,
  number,
  parameter,
  quantity,
  reference,
  text,
  thing,
  token,
} from '../../search/thing.ts';
import { openSeen, type Seen } from './support/explained.ts';

/** Values and tests of each kind, of so few that they often meet. */
const few = fc.constantFrom('a', 'A', 'b');
const kinds = {
  token: {
    value: fc
      .tuple(fc.constantFrom(undefined, 'http://s', 'http://exact'), few)
      .map(([system, code]) => token(system, code)),
    test: fc.oneof(
      few.map((code): Test => ({ kind: 'token', code })),
      fc
        .tuple(fc.constantFrom(null, 'http://s', 'http://exact'), few)
        .map(([system, code]): Test => ({ kind: 'token', system, code })),
      fc.constantFrom<Test>({ kind: 'token', system: 'http://s' }, { kind: 'token', system: null }, { kind: 'token' }),
    ),
  },
  reference: {
    value: fc.oneof(
      fc.tuple(fc.constantFrom('Patient', 'Group'), few).map(([type, id]) => reference(type, id)),
      fc.tuple(few, fc.constantFrom(undefined, '1')).map(([url, version]) => canonical(url, version)),
    ),
    test: fc.oneof(
      fc.tuple(fc.constantFrom('Patient', 'Group'), few).map(([type, id]): Test => ({ kind: 'reference', type, id })),
      few.map((id): Test => ({ kind: 'reference', id })),
      few.map((url): Test => ({ kind: 'reference', url })),
      few.map((url): Test => ({ kind: 'reference', url, version: '1' })),
    ),
  },
  uri: { value: few.map(uri => ({ kind: 'uri', uri }) as const), test: few.map((uri): Test => ({ kind: 'uri', uri })) },
  string: {
    value: fc.constantFrom('Ann', 'ann', 'an', 'Jo-Ann', '\u{1f600}').map(text),
    test: fc.oneof(
      fc
        .tuple(fc.constantFrom('starts' as const, 'contains' as const), fc.constantFrom('', 'an', 'ann', 'o a', '.'))
        .map(([how, text]): Test => ({ kind: 'string', how, text })),
      fc.constantFrom('Ann', 'ann').map((text): Test => ({ kind: 'string', how: 'exact', text })),
    ),
  },
  date: {
    value: fc
      .tuple(fc.nat(3), fc.constantFrom(1, 86_400_000, 86_400_000 * 3))
      .map(([day, width]) => ({ kind: 'date', low: day * 86_400_000, high: day * 86_400_000 + width }) as const),
    test: rangeTest('range', 86_400_000),
  },
  number: {
    value: fc.tuple(fc.nat(3), fc.nat(2)).map(([low, width]) => number(low, low + width)),
    test: rangeTest('range', 1),
  },
  quantity: {
    value: fc
      .tuple(fc.nat(3), fc.constantFrom(undefined, 'http://u'), fc.constantFrom(undefined, 'mg', 'kg'))
      .map(([value, system, unit]) => quantity(value, system, unit, unit)),
    test: fc
      .tuple(
        rangeTest('quantity', 1),
        fc.constantFrom({}, { unit: 'mg' }, { system: 'http://u' }, { system: 'http://u', unit: 'mg' }),
      )
      .map(([test, of]): Test => ({ ...test, ...of })),
  },
} as const;

type Kind = keyof typeof kinds;

function rangeTest(kind: 'range' | 'quantity', step: number): fc.Arbitrary<Test> {
  const bound = fc.record({
    end: fc.constantFrom('low' as const, 'high' as const),
    is: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
    value: fc.nat(4).map(value => value * step),
  });
  return fc.array(bound, { minLength: 1, maxLength: 2 }).map((bounds): Test => ({ kind, bounds }));
}

const pairs = (Object.keys(kinds) as Kind[]).flatMap(first =>
  (Object.keys(kinds) as Kind[]).map(second => [first, second] as const),
); // the keys of `kinds`
const composite = (first: Kind, second: Kind): SearchParam =>
  parameter(`${first}-${second}`, 'composite', ['Observation'], {
    components: [first, second].map(kind => ({ param: parameter(kind, kind, ['Observation']), expression: kind })),
  });
const params = pairs.map(([first, second]) => composite(first, second));
const type: ResourceType = {
  ...thing,
  pairs: [],
  sortDate: undefined,
  indexed: new Map(params.map(param => [param.code, param])),
};

describe('composites of two kinds', () => {
  let seen: Seen;
  let entries: readonly (readonly IndexEntry[])[];
  beforeAll(async () => {
    seen = await openSeen({ ...model, types: new Map([[type.name, type]]) });
    const tuples = pairs.map(([first, second]) =>
      fc.tuple(fc.array(kinds[first].value, { maxLength: 2 }), fc.array(kinds[second].value, { maxLength: 2 })),
    );
    const resource = fc.tuple(...tuples.map(tuple => fc.array(tuple, { maxLength: 2 })));
    entries = fc
      .sample(resource, { numRuns: 40, seed: 1 })
      .map(all => all.flatMap((some, at) => some.map(of => entry(params[at]?.code ?? '', { kind: 'composite', of }))));
    await seen.put(type, entries);
  });
  afterAll(() => seen.close());

  it.each(params)('$code: what matches, and what does not', async param => {
    const [first, second] = param.components.map(component => component.param.type as Kind); // of `kinds`
    if (first === undefined || second === undefined) return;
    const test = fc
      .tuple(kinds[first].test, kinds[second].test)
      .map((of): Query => ({ kind: 'param', param, test: { kind: 'composite', of } }));
    await fc.assert(
      fc.asyncProperty(test, async query => {
        for (const asked of [query, { kind: 'not', of: query } as const]) {
          const expected = entries.filter((of, at) => matches(asked, { id: `r${at}`, lastUpdated: at, entries: of }));
          expect(await countMatches(seen.core, seen.partition, type, asked)).toBe(expected.length);
        }
      }),
      { numRuns: 15 },
    );
  });
});
