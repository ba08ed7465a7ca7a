import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Primitive, primitives } from '../../src/fhir/primitive.ts';
import { cpuTime } from '../support/cpu-time.ts';

// Primitive types of R4: https://hl7.org/fhir/R4/datatypes.html#primitive

function accepts(type: string, value: unknown): boolean {
  const primitive = primitives.get(type) as Primitive; // each table below names types of R4
  switch (primitive.json) {
    case 'string':
      return typeof value === 'string' && primitive.is(value);
    case 'number':
      return typeof value === 'number' && primitive.is(value);
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return primitive satisfies never;
  }
}

describe('primitive formats', () => {
  it.each<[type: string, good: readonly unknown[], bad: readonly unknown[]]>([
    ['boolean', [true, false], ['true', 1, null]],
    ['integer', [0, -1, 2147483647, -2147483648], [1.5, 2147483648, -2147483649, '1', Infinity]],
    ['unsignedInt', [0, 2147483647], [-1, 0.5, 2147483648]],
    ['positiveInt', [1, 2147483647], [0, -1]],
    ['decimal', [0, -1.5, 1e300], [Infinity, '1.5']],
    ['string', ['a', ' a ', 'é\n\t', '😀', 'x'.repeat(1048576)], ['', 1, 'x'.repeat(1048577)]],
    ['markdown', ['# a\n\nb'], ['']],
    ['code', ['a', 'a b', 'a-b c'], ['', ' a', 'a ', 'a  b', 'a\n\nb']],
    ['id', ['a', 'A-9.z', '0', '.', 'x'.repeat(64)], ['', 'a_b', 'a b', 'é', 'x'.repeat(65), '[', '@', '`', '{']],
    ['uri', ['a', 'urn:oid:1.2', 'http://x/é|1#f'], ['', 'a b', ' a', 'a\n']],
    ['url', ['http://x'], ['']],
    ['canonical', ['http://x|1.0'], ['http://x |1']],
    [
      'oid',
      ['urn:oid:1.2.3', 'urn:oid:2.0.10'],
      ['urn:oid:3.1', 'urn:oid:1', 'urn:oid:1.', 'urn:oid:1.02', '1.2.3', 'urn:oid:1.2.x'],
    ],
    [
      'uuid',
      ['urn:uuid:c757873d-ec9a-4326-a141-556f43239520'],
      [
        'urn:uuid:C757873D-EC9A-4326-A141-556F43239520',
        'urn:uuid:c757873d-ec9a-4326-a141-556f4323952',
        'urn:uuid:c757873d+ec9a-4326-a141-556f43239520',
        'c757873d-ec9a-4326-a141-556f43239520',
      ],
    ],
    [
      'base64Binary',
      ['AAAA', 'AA==', 'AAA=', 'AA AA\nBBBB', '+/+/'],
      ['', 'A', 'AA', 'AAA', 'A===', 'AA=A', '====', 'AA=', 'AA-_', 'ÀAAA', ' '],
    ],
    ['xhtml', ['<div xmlns="http://www.w3.org/1999/xhtml">x</div>'], ['']],
    [
      'date',
      ['2024', '0001', '9999', '2024-02', '2024-02-29', '2000-02-29', '2024-12-31', '2024-04-30'],
      [
        '0000',
        '24',
        '2024-13',
        '2024-00',
        '2023-02-29',
        '1900-02-29',
        '2024-04-31',
        '2024-01-32',
        '2024-01-00',
        '2024-1-1',
        '2024-01-01T',
        '2024-01-01T00:00:00Z',
        '2024/01/01',
        '20240101',
        '',
        '2024-',
        '2024-01-',
        '+2024',
        'x024',
      ],
    ],
    [
      'dateTime',
      [
        '2024',
        '2024-02',
        '2024-02-29',
        '2024-02-29T23:59:59Z',
        '2024-02-29T23:59:60+14:00',
        '2024-02-29T00:00:00.123456789-13:59',
      ],
      [
        '2024-02-30',
        '2024-02-29T24:00:00Z',
        '2024-02-29T10:00Z',
        '2024-02-29T10:00:00',
        '2024-02-29 10:00:00Z',
        '2024-02-29T10:00:00z',
        '2024-02-29T10:00:00+15:00',
        '2024-02-29T10:00:00+14:01',
        '2024-02-29T10:00:00+1400',
        '2024-02-29T10:00:00.Z',
        '2024-02-29T10:60:00Z',
        '2024-02-29T10:00:61Z',
        '2024-02T10:00:00Z',
        '2024-02-29T10:00:00Z ',
        '2024-02-29T',
      ],
    ],
    [
      'instant',
      ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.5-04:00'],
      ['2024-02-29', '2023-02-29T23:59:59Z', '2024-02-29T23:59:59'],
    ],
    [
      'time',
      ['00:00:00', '23:59:59.999', '12:00:60'],
      ['24:00:00', '12:00', '12:00:00Z', '1:00:00', '12:60:00', '12:00:00.', ''],
    ],
  ])('%s', (type, good, bad) => {
    expect(good.filter(value => !accepts(type, value))).toEqual([]);
    expect(bad.filter(value => accepts(type, value))).toEqual([]);
  });

  it('read dates as the calendar does', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(99), fc.nat(99), (year, month, day) => {
        const parts = [
          [year, 4],
          [month, 2],
          [day, 2],
        ] as const;
        const text = parts.map(([part, length]) => String(part).padStart(length, '0')).join('-');
        const date = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
        expect(accepts('date', text)).toBe(exists);
      }),
    );
  });

  it('take base64 that Buffer makes, in any layout', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), fc.nat(9), (bytes, at) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(accepts('base64Binary', text)).toBe(true);
        expect(accepts('base64Binary', `${text.slice(0, at)}\r\n ${text.slice(at)}`)).toBe(true);
      }),
    );
  });

  it('scan 20 MB in a time that grows with the length only', async () => {
    const time = await cpuTime(() => {
      expect(accepts('base64Binary', 'AAAA'.repeat(5_000_000))).toBe(true);
      expect(accepts('base64Binary', `${'AAAA'.repeat(5_000_000)}A`)).toBe(false);
      expect(accepts('code', 'a '.repeat(10_000_000))).toBe(false);
      expect(accepts('uri', 'a'.repeat(20_000_000))).toBe(true);
      expect(accepts('oid', `urn:oid:1${'.1'.repeat(10_000_000)}`)).toBe(true);
    });
    expect(time).toBeLessThan(5000);
  });
});
