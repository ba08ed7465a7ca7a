// https://www.rfc-editor.org/rfc/rfc6902, https://hl7.org/fhir/R4/http.html#patch
import { describe, expect, it } from 'vitest';
import { patched, resultOf } from './patched.ts';

const record = { resourceType: 'Patient', name: [{ given: ['Ann', 'Bo'] }], gender: 'female', active: true };
const observation = (value: string): string =>
  `{"resourceType":"Observation","valueQuantity":{"value":${value}},"component":[{"valueQuantity":{"value":2.0}}]}`;

describe('a JSON Patch keeps the digits of numbers', () => {
  it.each<[string, object | string, string]>([
    ['that it does not touch', [{ op: 'add', path: '/status', value: 'final' }], '"status":"final"'],
    ['that it moves', [{ op: 'move', from: '/valueQuantity', path: '/referenceRange' }], '{"value":1.50}'],
    [
      'that it copies',
      [{ op: 'copy', from: '/component/0', path: '/component/0' }],
      '[{"valueQuantity":{"value":2.0}},',
    ],
    ['that it adds', '[{"op":"add","path":"/valueQuantity/value","value":3.10}]', '"value":3.10'],
    ['of any size', '[{"op":"replace","path":"/valueQuantity/value","value":12345678901234567890.10}]', '67890.10}'],
  ])('%s', (_, patch, part) => {
    const text = patched(observation('1.50'), patch, 'Observation');
    expect(text).toContain(part);
    expect(text).toContain('"value":2.0');
  });

  it.each([
    ['1.50', '1.5', true],
    ['1.50', '15e-1', true],
    ['0.0', '0', true],
    ['1.5', '1.51', false],
    ['0.10000000000000001', '0.1', false],
    ['1.5', '"1.5"', false],
  ])('and tests them by their value: %s is %s: %s', (stored, tested, isSame) => {
    const patch = `[{"op":"test","path":"/valueQuantity/value","value":${tested}}]`;
    const result = resultOf(observation(stored), patch, 'Observation');
    expect(result).toBe(isSame ? observation(stored) : '422 conflict $this[0].value');
  });
});

describe('a JSON Patch', () => {
  it('that changes nothing returns the stored text, with its escapes', () => {
    const text = '{"resourceType":"Patient","name":[{"text":"a\\/b\\u00e9"}]}';
    const patch = [
      { op: 'add', path: '/gender', value: 'male' },
      { op: 'remove', path: '/gender' },
    ];
    expect(patched(text, patch)).toBe(text);
    expect(patched(text, [])).toBe(text);
  });

  it.each<[string, object[], object]>([
    [
      'replaces the whole',
      [{ op: 'replace', path: '', value: { resourceType: 'Patient' } }],
      { resourceType: 'Patient' },
    ],
    [
      'moves an item after it was removed',
      [{ op: 'move', from: '/name/0/given/0', path: '/name/0/given/1' }],
      { ...record, name: [{ given: ['Bo', 'Ann'] }] },
    ],
    [
      'moves into what takes the place of the removed item',
      [
        { op: 'add', path: '/name/-', value: { family: 'Roy' } },
        { op: 'add', path: '/name/-', value: { family: 'Lee' } },
        { op: 'move', from: '/name/0', path: '/name/1/use' },
      ],
      { ...record, name: [{ family: 'Roy' }, { family: 'Lee', use: { given: ['Ann', 'Bo'] } }] },
    ],
    ['moves a value onto itself', [{ op: 'move', from: '/gender', path: '/gender' }], record],
    ['adds an item at the end', [{ op: 'add', path: '/name/-', value: {} }], { ...record, name: [...record.name, {}] }],
  ])('%s', (_, patch, expected) => {
    expect(JSON.parse(patched(record, patch))).toEqual(expected);
  });

  it.each<[string, object | string, string]>([
    ['no array', '[]x', '400 structure'],
    ['an unknown operation', [{ op: 'set', path: '/a', value: 1 }], '400 structure $this[0].op'],
    ['no path', [{ op: 'remove' }], '400 structure $this[0].path'],
    ['a path that is no pointer', [{ op: 'remove', path: 'gender' }], '400 structure $this[0].path'],
    ['an invalid escape', [{ op: 'remove', path: '/a~2' }], '400 structure $this[0].path'],
    ['no value', [{ op: 'add', path: '/gender' }], '400 structure $this[0].value'],
    ['no source', [{ op: 'copy', path: '/gender' }], '400 structure $this[0].from'],
    [
      'too many operations',
      Array.from({ length: 1001 }, () => ({ op: 'test', path: '', value: 1 })),
      '400 structure $this',
    ],
    ['a missing target', [{ op: 'remove', path: '/birthDate' }], '422 not-found $this[0].path'],
    ['a missing source', [{ op: 'move', from: '/none', path: '/a' }], '422 not-found $this[0].from'],
    [
      'the second of two',
      [
        { op: 'remove', path: '/gender' },
        { op: 'remove', path: '/gender' },
      ],
      '422 not-found $this[1].path',
    ],
    ['the whole removed', [{ op: 'remove', path: '' }], '422 processing $this[0].path'],
    ['an index beyond the end', [{ op: 'add', path: '/name/2', value: {} }], '422 not-found $this[0].path'],
    ['an index with a leading zero', [{ op: 'test', path: '/name/00', value: {} }], '422 not-found $this[0].path'],
    ['a property of a list', [{ op: 'test', path: '/name/length', value: 1 }], '422 not-found $this[0].path'],
    ['an item of a text', [{ op: 'test', path: '/gender/0', value: 'f' }], '422 not-found $this[0].path'],
    ['within a text', [{ op: 'add', path: '/gender/x', value: 1 }], '422 not-found $this[0].path'],
    ['the end of a list replaced', [{ op: 'replace', path: '/name/-', value: {} }], '422 not-found $this[0].path'],
    ['a prototype', [{ op: 'add', path: '/__proto__/x', value: 1 }], '422 not-found $this[0].path'],
    ['a constructor', [{ op: 'remove', path: '/constructor' }], '422 not-found $this[0].path'],
    ['a value with a prototype', '[{"op":"add","path":"/a","value":{"__proto__":1}}]', '422 structure $this[0]'],
    ['a value into itself', [{ op: 'move', from: '/name', path: '/name/0' }], '422 processing $this[0].path'],
    ['a test of another type', [{ op: 'test', path: '/active', value: 'true' }], '422 conflict $this[0].value'],
    ['a test of nothing', [{ op: 'test', path: '/birthDate', value: null }], '422 not-found $this[0].path'],
  ])('is refused with %s', (_, patch, expected) => {
    expect(resultOf(record, patch).slice(0, expected.length)).toBe(expected);
  });

  it('copies no more than a record may be large, and nests no deeper than a parser reads', () => {
    const copies = Array.from({ length: 40 }, () => ({ op: 'copy', from: '/name', path: '/name/-' }));
    expect(resultOf(record, copies)).toBe('422 too-costly $this[16]');
    const nested = Array.from({ length: 100 }, () => ({ op: 'move', from: '', path: '' }));
    expect(resultOf(record, nested)).toBe(JSON.stringify(record));
    const deeper = Array.from({ length: 70 }, (_, at) => ({ op: 'add', path: '/a'.repeat(at + 1), value: {} }));
    expect(resultOf(record, deeper)).toBe('422 processing $this[64]');
    const long = [
      { op: 'add', path: '/long', value: 'x'.repeat(900_000) },
      ...Array.from({ length: 20 }, (_, at) => ({ op: 'copy', from: '/long', path: `/long${at}` })),
    ];
    expect(resultOf(record, long)).toBe('422 too-costly $this[8]');
  });

  it('names the operation that fails, without content of the record', () => {
    expect(() => patched(record, [{ op: 'test', path: '/gender', value: 'male' }])).toThrow(
      'Operation 1 (`test` of `/gender`) cannot be applied: The record has another value. The record is unchanged.',
    );
  });
});

// https://hl7.org/fhir/R4/http.html#patch: the narrative remains clinically safe
describe('a narrative', () => {
  const narrative = (status: string) => ({ status, div: '<div xmlns="http://www.w3.org/1999/xhtml">female</div>' });
  const change = { op: 'replace', path: '/gender', value: 'male' };
  const after = (status: string, ...patch: object[]) =>
    JSON.parse(patched({ ...record, text: narrative(status) }, patch)) as { text?: object };

  it.each(['generated', 'extensions'])('that was made of the data is removed with a change: %s', status => {
    expect(after(status, change)).toEqual({ ...record, gender: 'male' });
  });

  it('stays if the data do, or if the patch changes it too', () => {
    expect(after('generated', { op: 'add', path: '/meta', value: { tag: [] } }).text).toEqual(narrative('generated'));
    const both = after('generated', change, { op: 'replace', path: '/text/div', value: '<div/>' });
    expect(both.text).toEqual({ status: 'generated', div: '<div/>' });
    expect(after('empty', change).text).toEqual(narrative('empty'));
  });

  it('with more than the data must be patched too', () => {
    expect(resultOf({ ...record, text: narrative('additional') }, [change])).toBe('422 business-rule Patient.text');
  });
});
