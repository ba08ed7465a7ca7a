import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patient, bundle, put, remove } from '../support/texts.ts';
import { type Target, counts, none, openTarget } from '../support/target.ts';

// What cannot be loaded is rejected with its place, and the rest is loaded.

let target: Target;
beforeEach(async () => {
  target = await openTarget();
});
afterEach(() => target.close());

describe('load', () => {
  it('rejects what is wrong, with its place, its text and an OperationOutcome, and loads the rest', async () => {
    const lines = [
      patient('a'),
      '{"resourceType":"Patient","id":"b","id":"c"}',
      patient('d', ',"nmae":[],"gender":" male"'),
      '{"resourceType":"Patient",',
      '{"resourceType":"Patient","id":"e","name":[{"text":"\\ud800"}]}',
      '{"resourceType":"Patient","id":"f","name":[{"text":"\\u0000"}]}',
      `{"resourceType":"Patient","id":"g","extension":${'['.repeat(70)}${']'.repeat(70)}}`,
      '{"resourceType":"Pateint"}',
      patient('h'),
    ];
    const bytes = Buffer.concat([
      Buffer.from('\ufeff\ufeff'),
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0x22, 0xff, 0x22]),
    ]);
    const path = target.file('a.ndjson', bytes);
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 10, created: 1, rejected: 9 });
    const rejects = target.rejects();
    expect(
      rejects.map(
        ({ at, outcome }) =>
          `${at}: ${outcome.issue.map(({ code, diagnostics }) => `${code} ${diagnostics}`).join(' | ')}`,
      ),
    ).toEqual([
      'line 1: structure The text begins with a byte order mark: remove it. ($, line 1, column 1)',
      'line 2: structure The property `id` is repeated in one object. ($.id, line 1, column 36)',
      'line 3: structure `Patient` has no element `nmae`. Did you mean `name`? | value `gender` must ' +
        'be a code: words separated by single spaces, without leading and trailing ones, not ` male`.',
      'line 4: structure The text ends where a property name in double quotes is expected. ($, line 1, column 27)',
      'line 5: structure Lone surrogate: `\\ud800` to `\\udbff` must be followed by ' +
        '`\\udc00` to `\\udfff`. ($.name[0].text, line 1, column 53)',
      'line 6: structure The character U+0000 is not allowed. ($.name[0].text, line 1, column 53)',
      'line 7: structure Objects and arrays nest more than 64 levels deep. ' +
        `($.extension${'[0]'.repeat(63)}, line 1, column 111)`,
      'line 8: structure `Pateint` is not a resource type of R4. Did you mean `Patient`?',
      'line 10: structure The text is not valid UTF-8: byte 2 (0xff) is invalid. ($, line 1, column 2)',
    ]);
    expect(rejects[2]).toMatchObject({ file: path, record: lines[2] });
    expect(rejects[2]?.outcome.issue[0]?.expression).toEqual(['Patient.nmae']);
    expect(await target.text('Patient', 'h')).toBeDefined();
  });

  it('makes no file of rejects where there are none', async () => {
    await target.load([target.file('a.ndjson', patient('a'))]);
    expect(existsSync(`${target.folder}/rejects.ndjson`)).toBe(false);
  });

  it('loads a file up to where it is broken, and the files after it', async () => {
    const lines = Array.from({ length: 2000 }, (_, index) =>
      patient(`p${index}`, `,"gender":"${index % 2 ? 'male' : 'female'}"`),
    );
    const packed = gzipSync(lines.join('\n'));
    target.file('a.ndjson.gz', packed.subarray(0, packed.length - 500));
    target.file('b.json', bundle('collection', `{"resource":${patient('x')}}`, ''));
    target.file('c.ndjson', patient('y'));
    const result = await target.load([target.folder]);
    expect(result.rejected).toBe(2);
    expect(result.created).toBeGreaterThan(100);
    expect(await target.text('Patient', 'y')).toBeDefined();
    const rejects = target.rejects();
    expect(rejects[0]?.outcome.issue[0]?.diagnostics).toContain('The gzip data is damaged');
    expect(rejects[1]?.outcome.issue[0]?.diagnostics).toContain('A comma precedes the end of the entries.');
  });

  it.each([
    ['a misspelt `entry`', `{"resourceType":"Bundle","type":"batch","entyr":[${put(patient('a'), 'Patient/a')}]}`],
    ['two of them', `{"resourceType":"Bundle","type":"batch","entry":[${put(patient('a'), 'Patient/a')}],"entry":[]}`],
    ['text behind its end', `${bundle('batch', put(patient('a'), 'Patient/a'))}}`],
  ])('loads nothing of a Bundle with %s', async (_title, text) => {
    expect(await target.load([target.file('a.json', text)])).toMatchObject({ created: 0, rejected: 1 });
    expect(await target.load(['-'], {}, text)).toMatchObject({ created: 0, rejected: 1 });
    expect(await target.text('Patient', 'a')).toBeUndefined();
  });

  it('takes an empty Bundle for what it is', async () => {
    expect(counts(await target.load([target.file('a.json', bundle('searchset'))]))).toEqual(none);
  });

  it('rejects what deletes an unknown type', async () => {
    const result = await target.load([target.file('a.json', bundle('batch', remove('Pateint/a')))]);
    expect(result).toMatchObject({ rejected: 1 });
  });
});

describe('a record that no store takes', () => {
  /** A text has a megabyte at most. */
  const long = (id: string, bytes: number): string =>
    patient(
      id,
      `,"name":[${Array.from({ length: bytes / 100_000 }, () => `{"text":"${'é'.repeat(50_000)}"}`).join(',')}]`,
    );

  it('is rejected, and the rest is loaded', async () => {
    const path = target.file(
      'a.ndjson',
      `${patient('a')}\n${long('b', 8_400_000)}\n${long('c', 8_300_000)}\n${patient('d')}`,
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 4, created: 3, rejected: 1 });
    expect(target.rejects().map(({ at, outcome }) => [at, outcome.issue[0]?.code])).toEqual([['line 2', 'too-long']]);
  });

  it('makes its transaction fail', async () => {
    const path = target.file(
      'a.json',
      bundle('transaction', put(patient('a'), 'Patient/a'), put(long('b', 8_400_000), 'Patient/b')),
    );
    expect(counts(await target.load([path]))).toEqual({ ...none, records: 2, rejected: 1 });
    const [reject] = target.rejects();
    expect(reject?.outcome.issue.map(({ code, expression }) => [code, expression])).toEqual([
      ['too-long', ['Bundle.entry[1].resource']],
    ]);
  });
});
