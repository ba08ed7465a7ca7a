import { array, assert, constantFrom, integer, property, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OncePerFile } from '../../src/bulk/once-per-file.ts';
import { SeenRecords } from '../../src/bulk/seen-records.ts';
import { splitForStamp } from '../../src/fhir/resource-text.ts';
import { type Target, openTarget } from './support/target.ts';

describe('SeenRecords', () => {
  it('remembers what a Map would', () => {
    const record = tuple(integer({ min: 0, max: 3_000 }), constantFrom('a', 'b', undefined));
    assert(
      property(array(record, { maxLength: 5_000, size: 'max' }), records => {
        const seen = new SeenRecords();
        const known = new Map<number, { content: string | undefined; unit: number }>();
        for (const [at, [key, content]] of records.entries()) {
          const before = known.get(key);
          const same = before?.content === content ? 'same' : 'different';
          const expected =
            before === undefined
              ? undefined
              : { content: before.content === undefined ? 'unknown' : same, unit: before.unit };
          expect(seen.note(`Patient/${key}`, content, at + 1)).toEqual(expected);
          if (before === undefined) known.set(key, { content, unit: at + 1 });
        }
      }),
      { numRuns: 20 },
    );
  });

  it('remembers so many of the last ones, and forgets those before', () => {
    const seen = new SeenRecords(1_000);
    for (let n = 1; n <= 2_500; n++) expect(seen.note(`Patient/${n}`, 'a', n)).toBeUndefined();
    for (let n = 1_501; n <= 2_500; n++) expect(seen.note(`Patient/${n}`, 'a', 9_999)?.unit).toBe(n);
    expect(seen.note('Patient/1001', 'b', 9_999)).toEqual({ content: 'different', unit: 1_001 });
    expect(seen.note('Patient/1000', 'a', 9_999)).toBeUndefined();
  });

  it('takes a bounded amount of memory, however many there are', () => {
    const seen = new SeenRecords(3 * 2 ** 12); // three quarters of a table of 256 KiB
    const bytes = Array.from({ length: 200_000 }, (_, n) => {
      seen.note(`Patient/${n}`, undefined, n + 1);
      return seen.bytes;
    });
    expect(bytes[12_287]).toBe(2 ** 18);
    expect(bytes.reduce((most, one) => Math.max(most, one))).toBe(2 ** 19);
  });
});

describe('OncePerFile, behind what an interrupted run has loaded', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.close());

  it.each([
    ['the same', ',"active":true', 'change'],
    ['something else', ',"active":false', 'reject'],
    ['what was rejected then', '', 'change', 'b'],
  ])('%s', async (_, more, expected, id = 'a') => {
    const text = (of: string): string => `{"resourceType":"Patient","id":"${id}"${of}}`;
    await target.load([target.file('a.ndjson', '{"resourceType":"Patient","id":"a","active":true}')]);
    const once = new OncePerFile(target.partition);
    once.pass(Buffer.from('not JSON'), undefined, 1);
    once.pass(Buffer.from(text('')), undefined, 2);
    const change = { kind: 'put', type: 'Patient', id, text: splitForStamp(text(more), id) } as const;
    const outcome = await once.check({ kind: 'change', change, contents: [], warnings: [] }, 'line 3', 3);
    expect(outcome.kind).toBe(expected);
    expect(JSON.stringify(outcome).includes('(line 2)')).toBe(expected === 'reject');
  });
});
