import { describe, expect, it } from 'vitest';
import type { ResourceType } from '../../../src/model/model.ts';
import { indexFields } from '../../../src/store/mongo/entries.ts';
import {
  absolute,
  canonical,
  date,
  entry,
  number,
  quantity,
  reference,
  text,
  thing,
  token,
  words,
} from '../../search/thing.ts';

const owner = thing.indexed.get('patient');
const code = thing.indexed.get('code');
if (owner === undefined || code === undefined) throw new Error('The type lacks a parameter');
const type: ResourceType = { ...thing, pairs: [{ code: 'patient+code', owner, token: code }] };

const t = (...terms: readonly string[]) => ({ t: ['7|*', ...terms] });
const day = { lo: 1_582_934_400_000, hi: 1_583_020_800_000 };

/** What a document has in partition `7` for one entry, besides what it has anyway. */
const rows = [
  ['a token', entry('code', token('http://s', 'A')), t('7|code|yhttp://s', '7|code|ca', '7|code|b8|http://sa')],
  ['a token without a system', entry('code', token(undefined, 'a')), t('7|code|z', '7|code|ca', '7|code|na')],
  ['a reference to one of the targets', entry('patient', reference('Patient', '1')), t('7|patient|r1/Patient')],
  [
    'an absolute reference to one of the targets',
    entry('patient', absolute('http://a/Patient/1')),
    t('7|patient|uhttp://a/Patient/1'),
  ],
  [
    'an absolute reference to any type',
    entry('focus', absolute('http://a/Device/1')),
    t('7|focus|uhttp://a/Device/1', '7|focus|i1 http://a'),
  ],
  ['a reference to any type', entry('focus', reference('Device', '1')), t('7|focus|r1/Device', '7|focus|i1')],
  ['a canonical without a version', entry('plan', canonical('http://a')), t('7|plan|uhttp://a', '7|plan|w8|http://a')],
  ['a canonical', entry('plan', canonical('http://a', '1')), t('7|plan|uhttp://a', '7|plan|w8|http://a1')],
  ['a uri', entry('url', { kind: 'uri', uri: 'http://a' }), t('7|url|uhttp://a')],
  ['a string', entry('name', text('Éva')), { ...t('7|name|xÉva'), s: ['7|name|eva'] }],
  [
    'the words of texts',
    entry('narrative', words('Chest pain', 'pain')),
    { ...t('7|narrative|kchest', '7|narrative|kpain'), w: ['7|narrative| chest pain . pain '] },
  ],
  ['a day', entry('born', date('2020-02-29', 'UTC')), { d: [{ k: '7|born|', ...day }] }],
  [
    'a wide date',
    entry('born', { kind: 'date', low: 0, high: 1e9 }),
    { ...t('7|born~'), d: [{ k: '7|born~|', lo: 0, hi: 1e9 }] },
  ],
  ['a number', entry('score', number(1)), { n: [{ k: '7|score|', lo: 1, hi: 1 }] }],
  ['a range of numbers', entry('score', number(1, 2)), { n: [{ k: '7|score~|', lo: 1, hi: 2 }] }],
  [
    'a quantity',
    entry('size', quantity(5, 'http://u', 'mg', 'mg')),
    { n: ['q', 'umg', 's8|http://umg'].map(unit => ({ k: `7|size|${unit}`, lo: 5, hi: 5 })) },
  ],
  [
    'a composite',
    entry('code-size', { kind: 'composite', of: [[token('http://s', 'a')], [quantity(5)]] }),
    {
      n: [{ k: '7|code-size|2|caq', lo: 5, hi: 5 }],
      c: [{ k: '7|code-size|', c0: { t: ['yhttp://s', 'ca', 'b8|http://sa'] }, c1: { n: [{ k: 'q', lo: 5, hi: 5 }] } }],
    },
  ],
] as const;

describe('the fields of a document', () => {
  it.each(rows)('%s', (_, one, fields) => {
    const { o, ...found } = indexFields(type, '7', 'a', { updated: 0, created: 0 }, [one]);
    expect(found).toEqual({ ...t(), s: [], d: [], n: [], c: [], ...fields });
    expect(Object.keys(o)).toEqual(['_updated', 'born', 'date', 'date<', 'when', 'when<']);
  });

  it('a pair of an owner and a code, with its system and without', () => {
    const fields = indexFields(type, '7', 'a', { updated: 0, created: 0 }, [
      entry('patient', reference('Patient', '1')),
      entry('code', token('http://s', 'a')),
    ]);
    expect(fields.t.filter(term => term.includes('+'))).toEqual([
      '7|patient+code|10|r1/Patientca',
      '7|patient+code|10|r1/Patientb8|http://sa',
    ]);
  });

  it('sort keys: the highest and the lowest of several dates, the only one of one, and none', () => {
    const at = (low: number) => entry('date', { kind: 'date', low, high: low + 1 });
    expect(indexFields(type, '7', 'a', { updated: 3, created: 2 }, [at(2), at(1)]).o).toEqual({
      _updated: '9zlds000003\u0001a',
      born: '\u0001a',
      date: '9zlds000002\u0001a',
      'date<': '9zlds000001\u0001a',
      when: '\u0001a',
      'when<': '\u0001a',
    });
  });

  it('a code that means something in field names is written otherwise', () => {
    const param = { ...thing.indexed.get('born'), code: '_updated.$a|b' } as typeof owner;
    const odd: ResourceType = { ...thing, pairs: [], indexed: new Map([[param.code, param]]) };
    const fields = indexFields(odd, '7', 'a', { updated: 0, created: 0 }, [
      entry(param.code, { kind: 'date', low: 0, high: 1 }),
    ]);
    expect(Object.keys(fields.o)).toEqual(['_updated', '%5f;updated%2e;%24;a%7c;b']);
    expect(fields.d).toEqual([{ k: '7|%5f;updated%2e;%24;a%7c;b|', lo: 0, hi: 1 }]);
  });
});
