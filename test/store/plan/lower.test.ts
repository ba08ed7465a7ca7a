import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../../../src/model/model.ts';
import type { Query, Sort } from '../../../src/search/ast.ts';
import { IndexPending } from '../../../src/store/port/errors.ts';
import { everything } from '../../../src/store/keys/interval.ts';
import { valuesIn } from '../../../src/store/plan/clause.ts';
import type { Clause } from '../../../src/store/plan/clause.ts';
import type { Indexes } from '../../../src/store/plan/indexes.ts';
import { lower } from '../../../src/store/plan/lower.ts';
import { lowerSort } from '../../../src/store/plan/sort.ts';
import { usePairs } from '../../../src/store/plan/simplify.ts';
import { search, thing } from '../../search/thing.ts';

/** A driver whose references are the codes of parameters, that lists no types of an id and marks nothing as missing. */
function indexesOf(more: Partial<Indexes<string>> = {}, pending = '', type: ResourceType = thing): Indexes<string> {
  return {
    type,
    find(code) {
      const param = type.indexed.get(code);
      if (param === undefined) return undefined;
      const components = param.components.map((_, at) => `${code}${at}`);
      return { param, index: code, ready: code !== pending, components };
    },
    termsOfId: () => undefined,
    marksMissing: false,
    hasAbsolute: () => false,
    ...more,
  };
}

const lowered = (written: string, more: Partial<Indexes<string>> = {}): Clause<string> =>
  lower(search(written).query, indexesOf(more));
const terms = (index: string, ...values: readonly string[]) => ({ kind: 'terms', index, values });

describe('a query as clauses', () => {
  const rows: readonly (readonly [title: string, written: string, clause: unknown])[] = [
    ['a code is a term in either case', 'code=A', terms('code', 'CA', 'ca')],
    ['a code of a system', 'code=http://s|a', terms('code', 'B8|http://sa', 'b8|http://sa')],
    ['alternatives of one parameter are one clause', 'code=a,b', terms('code', 'Ca', 'ca', 'Cb', 'cb')],
    ['a reference with its type', 'patient=Patient/1', terms('patient', 'r1/Patient')],
    [
      'an id of any type, if the driver cannot list its types',
      'focus=1',
      { kind: 'prefix', index: 'focus', prefix: 'r1/' },
    ],
    ['a canonical', 'plan=http://a|1', terms('plan', 'w8|http://a1')],
    ['a URI', 'url=http://a', terms('url', 'uhttp://a')],
    ['a string', 'name:contains=Ann', { kind: 'string', index: 'name', how: 'contains', text: 'ann' }],
    [
      'words of a text',
      'narrative="chest pain" che*',
      {
        kind: 'words',
        index: 'narrative',
        phrases: [
          { text: 'chest pain', isPrefix: false },
          { text: 'che', isPrefix: true },
        ],
      },
    ],
    ['a text that exists', 'remark:missing=false', { kind: 'string', index: 'remark', how: 'starts', text: '' }],
    ['words that exist', 'narrative:missing=false', { kind: 'prefix', index: 'narrative', prefix: '' }],
    ['ids, each once', '_id=a,b,a', { kind: 'ids', ids: ['a', 'b'] }],
    ['no id at all', '_id=a&_id=b', { kind: 'or', of: [] }],
    ['a complement', 'status:not=a', { kind: 'not', of: terms('status', 'Ca', 'ca') }],
  ];
  it.each(rows)('%s: %s', (_, written, clause) => {
    expect(lowered(written)).toEqual(clause);
  });

  it('an id of any type is a clause of the terms that the driver lists; of none, nothing can match', () => {
    expect(lowered('focus=1', { termsOfId: (_, id) => [`r${id}/Group`, `r${id}/Patient`] })).toEqual(
      terms('focus', 'r1/Group', 'r1/Patient'),
    );
    expect(lowered('focus=1&code=a', { termsOfId: () => [] })).toEqual({ kind: 'or', of: [] });
  });

  it('a record of this server is asked for by its absolute reference too, if the index may have any', () => {
    const base = 'https://example.org/r4/demo';
    const more = { hasAbsolute: () => true, termsOfId: () => ['r1/Group'] };
    expect(lowered('patient=1', more)).toEqual(terms('patient', 'r1/Patient', `u${base}/Patient/1`));
    expect(lowered('focus=1', more)).toEqual(terms('focus', 'r1/Group', `i1 ${base}`));
    expect(lowered('focus=https://a/Group/1', more)).toEqual(terms('focus', 'uhttps://a/Group/1'));
  });

  it('ranges of a value that a resource has once are one clause', () => {
    const clause = lowered('born=ge2020&born=lt2021&code=a');
    if (clause.kind !== 'and') throw new Error('The clause is no `and`');
    const [range, code] = clause.of;
    expect(clause.of).toHaveLength(2);
    expect(range).toMatchObject({ kind: 'range', index: 'born', key: '', single: true });
    expect(code).toEqual(terms('code', 'Ca', 'ca'));
  });

  it('ranges of a value that a resource may have more than once are apart', () => {
    const clause = lowered('date=ge2020&date=lt2021');
    expect(clause).toMatchObject({ kind: 'and', of: [{ index: 'date' }, { index: 'date' }] });
  });

  it('a tuple has the clauses of its components', () => {
    expect(lowered('code-size=a$5')).toMatchObject({
      kind: 'tuple',
      index: 'code-size',
      of: [terms('code-size0', 'Ca', 'ca'), { kind: 'range', index: 'code-size1', key: 'q', single: false }],
    });
  });

  const every = (index: string, key = '') => ({ kind: 'range', index, key, low: everything, high: everything });
  const present: readonly (readonly [code: string, clause: unknown])[] = [
    ['code', { kind: 'prefix', index: 'code', prefix: '' }],
    ['patient', { kind: 'prefix', index: 'patient', prefix: '' }],
    ['url', { kind: 'prefix', index: 'url', prefix: '' }],
    ['name', { kind: 'or', of: [terms('name', '!'), { kind: 'string', index: 'name', how: 'starts', text: '' }] }],
    ['born', { kind: 'range', index: 'born', key: '', low: everything, high: everything, single: true }],
    ['score', { kind: 'or', of: [terms('score', '!'), { ...every('score'), width: 0 }] }],
    ['size', { kind: 'or', of: [terms('size', '!'), { ...every('size', 'q'), single: false }] }],
    ['code-size', { kind: 'tuple', index: 'code-size', of: [] }],
    ['near', { kind: 'or', of: [] }],
  ];
  it.each(present)(
    'some entry of %s: of a driver with markers all but the marked, else by its type',
    (code, clause) => {
      const param = thing.indexed.get(code);
      if (param === undefined) throw new Error('The type lacks the parameter');
      const query: Query = { kind: 'present', param };
      expect(lower(query, indexesOf())).toMatchObject(clause as object);
      expect(lower(query, indexesOf({ marksMissing: true }))).toEqual({ kind: 'not', of: terms(code, '') });
      expect(lower({ kind: 'not', of: query }, indexesOf({ marksMissing: true }))).toEqual(terms(code, ''));
    },
  );

  it('an index that is not complete, or that does not exist, is an error', () => {
    const { query } = search('code=a');
    expect(() => lower(query, indexesOf({}, 'code'))).toThrow(IndexPending);
    expect(() => lower(query, indexesOf({ find: () => undefined }))).toThrow('has no index of `code`');
  });
});

describe('pairs', () => {
  const pairs = [{ index: 'patient+code', owner: 'patient', token: 'code' }];
  const paired = (written: string): Clause<string> => usePairs(lowered(written), () => pairs);

  it('replace an owner and a token', () => {
    expect(paired('patient=1&code=a')).toEqual(terms('patient+code', '10|r1/PatientCa', '10|r1/Patientca'));
  });

  it('replace the owner once, and every token beside it', () => {
    expect(paired('patient=1&code=a&code=b&status=c')).toEqual({
      kind: 'and',
      of: [
        terms('patient+code', '10|r1/PatientCa', '10|r1/Patientca'),
        terms('patient+code', '10|r1/PatientCb', '10|r1/Patientcb'),
        terms('status', 'Cc', 'cc'),
      ],
    });
  });

  it.each([
    ['a system alone, which has no pair', 'patient=1&code=http://s|'],
    ['more pairs than are worth it', 'patient=1,2,3&code=a,b,c'],
    ['no owner', 'status=a&code=a'],
  ])('leave %s', (_, written) => {
    expect(paired(written)).toEqual(lowered(written));
  });
});

describe('sort keys', () => {
  const keysOf = (sort: readonly Sort[], type = thing, pending = ''): unknown =>
    lowerSort(sort, indexesOf({}, pending, type));

  it('are resolved to the low end that counts in their direction', () => {
    expect(keysOf(search('_sort=date,born,_lastUpdated').sort)).toEqual([
      { by: 'date', index: 'date', end: 'lowest', descending: false },
      { by: 'date', index: 'born', end: 'only', descending: false },
      { by: 'updated', descending: false },
    ]);
    expect(keysOf(search('_sort=-date,-born,-_id').sort)).toEqual([
      { by: 'date', index: 'date', end: 'highest', descending: true },
      { by: 'date', index: 'born', end: 'only', descending: true },
      { by: 'id', descending: true },
    ]);
  });

  it('the default is the date of the type, or the time of creation', () => {
    const sort: readonly Sort[] = [{ by: 'default', descending: true }];
    expect(keysOf(sort)).toEqual([{ by: 'date', index: 'date', end: 'highest', descending: true }]);
    expect(keysOf(sort, { ...thing, sortDate: undefined })).toEqual([{ by: 'created', descending: true }]);
    expect(() => keysOf(sort, thing, 'date')).toThrow(IndexPending);
  });
});

it('values are counted wherever they are', () => {
  expect(valuesIn(lowered('code=a,b&name=x&code-size=a$5&status:not=c'))).toBe(4 + 1 + 3 + 2);
});
