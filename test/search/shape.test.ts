// Searches of a shape that was parsed before: the same request as without it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FhirError } from '../../src/fhir/error.ts';
import { parseSearch } from '../../src/search/parse/search.ts';
import type { SearchContext } from '../../src/search/parse/value.ts';
import type { QueryPair } from '../../src/search/request.ts';
import { context, thing } from './thing.ts';

/** The type, with includes. */
const offered = new Set([`${thing.name}:subject`, `${thing.name}:patient`]);
const including = { ...thing, includes: { forward: offered, reverse: offered } };

/** A context whose set of definitions has no shapes yet. */
const fresh = (handling: SearchContext['handling'] = 'strict'): SearchContext => ({
  ...context,
  handling,
  model: { ...context.model, types: new Map([[thing.name, including]]) },
});

/** The request, or the error, as data. */
function answer(pairs: readonly QueryPair[], at: SearchContext): unknown {
  try {
    return parseSearch(including, pairs, at);
  } catch (error) {
    if (error instanceof FhirError) return [error.status, error.issues];
    throw error;
  }
}

const names = [
  'name',
  'name:exact',
  'code',
  'code:not',
  'status',
  'patient',
  'subject',
  'born',
  'date',
  'score',
  'size',
];
const others = ['code-size', 'plan', 'url', 'phone', 'active', 'position', 'sound', '_id', '_lastUpdated', 'nmae', ''];
const values = ['ann', 'a,b', 'a\\,b', 'a\\', '', ' ', 'true', '2020-02', 'ge2020', '5.4', '5.4|http://s|mg', 'a|b'];
const forReferences = ['Patient/1', 'Patient/', '1', 'Group/1', 'http://a', 'a\n_count=5', '1|2', 'a$5'];
const controls: readonly QueryPair[] = [
  ['_count', '5'],
  ['_count', '5000'],
  ['_count', '0'],
  ['_count', 'x'],
  ['_sort', '-date'],
  ['_sort', 'name,-_id'],
  ['_total', 'accurate'],
  ['_summary', 'count'],
  ['_elements', 'status'],
  ['_format', 'json'],
  ['_format', 'json\n_count=5'],
  ['_score', 'true'],
  ['_include', `${thing.name}:patient`],
  ['_include', `${thing.name}:subject`],
  ['_include:iterate', `${thing.name}:patient:Patient`],
  ['_include', `${thing.name}:patient\n_include=${thing.name}:subject`],
  ['_include', 'nothing'],
  ['_revinclude', `${thing.name}:subject`],
];
const anyPair = fc.oneof(
  fc.tuple(fc.constantFrom(...names, ...others), fc.constantFrom(...values, ...forReferences)),
  fc.constantFrom(...controls),
);
const anyPairs = fc.array(anyPair, { maxLength: 4 });
const anyHandling = fc.constantFrom('strict' as const, 'lenient' as const);

describe('searches of one shape', () => {
  it('are parsed as each of them alone', () => {
    const shared = { strict: fresh(), lenient: fresh('lenient') };
    fc.assert(
      fc.property(anyPairs, anyPairs, anyHandling, (pairs, others, handling) => {
        // The names of one with the values of the other: often a shape that has been parsed.
        const mixed = pairs.map(([name, value], at): QueryPair => [name, others[at]?.[1] ?? value]);
        for (const one of [pairs, mixed, pairs])
          expect(answer(one, shared[handling])).toEqual(answer(one, fresh(handling)));
      }),
      { numRuns: 3_000 },
    );
  });

  it('keep their includes', () => {
    const at = fresh();
    const include: QueryPair = ['_include', `${thing.name}:subject`];
    const first = parseSearch(including, [['name', 'ann'], include], at);
    const second = parseSearch(including, [['name', 'bob'], include], at);
    expect(first.includes).toHaveLength(1);
    expect(second.includes).toBe(first.includes);
    expect(
      parseSearch(
        including,
        [
          ['name', 'bob'],
          ['_include', `${thing.name}:patient`],
        ],
        at,
      ).includes,
    ).not.toEqual(first.includes);
  });

  it('have the parameters of their own type', () => {
    const at = fresh();
    const other = { ...thing, parameters: new Map([...thing.parameters].filter(([code]) => code !== 'name')) };
    expect(parseSearch(thing, [['name', 'ann']], at).type).toBe(thing);
    expect(() => parseSearch(other, [['name', 'ann']], at)).toThrow('no search parameter `name`');
  });

  it('are relative to their own time', () => {
    const at = fresh();
    const first = parseSearch(thing, [['date', 'ap2020']], at);
    const later = parseSearch(thing, [['date', 'ap2020']], { ...at, now: at.now + 1e12 });
    expect(later.at).toBe(at.now + 1e12);
    expect(later.query).not.toEqual(first.query);
  });

  it('do not take a line break in a value or a name for the end of a pair', () => {
    const at = fresh();
    parseSearch(
      thing,
      [
        ['_format', 'a'],
        ['name', 'ann'],
      ],
      at,
    );
    parseSearch(thing, [['_format', 'a\nname']], at);
    expect(parseSearch(thing, [['_format', 'a\nname']], at).query).toEqual({ kind: 'all' });
    expect(
      parseSearch(
        thing,
        [
          ['_format', 'a'],
          ['name', 'bob'],
        ],
        at,
      ).query,
    ).toMatchObject({
      test: { text: 'bob' },
    });
    parseSearch(
      thing,
      [
        ['_format', 'a\nname'],
        ['status', 'b'],
      ],
      at,
    );
    const alike: readonly QueryPair[] = [
      ['_format', 'a'],
      ['name\nstatus', 'b'],
    ];
    expect(() => parseSearch(thing, alike, at)).toThrow('no search parameter');
  });
});
