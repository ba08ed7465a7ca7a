import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printInstant, splitForStamp, stamp } from '../../src/fhir/resource-text.ts';

const stamped = (text: string, id: string): string => {
  const { before, after } = splitForStamp(text, id);
  expect(after).toMatch(/^[,}]/);
  return before + stamp(3, Date.UTC(2026, 0, 2, 3, 4, 5, 6)) + after;
};
const meta = '"versionId":"3","lastUpdated":"2026-01-02T03:04:05.006Z"';

describe('splitForStamp', () => {
  it.each<[title: string, text: string, expected: string]>([
    [
      'adds id and meta',
      '{"resourceType":"Patient","active":true}',
      `{"resourceType":"Patient","id":"a","meta":{${meta}},"active":true}`,
    ],
    [
      'leaves nothing behind where there is nothing',
      '{"resourceType":"Basic"}',
      `{"resourceType":"Basic","id":"a","meta":{${meta}}}`,
    ],
    [
      'puts resourceType, id and meta first and keeps the order of the rest',
      '{"z":1,"meta":{"profile":["p"]},"b":[1,{"id":"x"}],"id":"old","resourceType":"Patient"}',
      `{"resourceType":"Patient","id":"a","meta":{${meta},"profile":["p"]},"z":1,"b":[1,{"id":"x"}]}`,
    ],
    [
      'removes the version and the time of the sender, with what hangs on them',
      '{"resourceType":"P","meta":{"versionId":"9","_versionId":{"id":"q"},"source":"s",' +
        '"lastUpdated":"2020-01-01T00:00:00Z","_lastUpdated":{"id":"r"}}}',
      `{"resourceType":"P","id":"a","meta":{${meta},"source":"s"}}`,
    ],
    [
      'drops white space outside of strings only, and keeps numbers as written',
      '{ "resourceType" : "P",\n "id":"old",\t"text" : " a \\" , } ", "v" : [ 1.10 , 1e2 ] }',
      `{"resourceType":"P","id":"a","meta":{${meta}},"text":" a \\" , } ","v":[1.10,1e2]}`,
    ],
    [
      'knows a name that is written with escapes',
      String.raw`{"resourceType":"P","\u0069d":"old","m\u0065ta":{"versionI\u0064":"4","tag":[]}}`,
      `{"resourceType":"P","id":"a","meta":{${meta},"tag":[]}}`,
    ],
    [
      'is not misled by brackets, quotes and backslashes in strings',
      String.raw`{"a":"}\\","b":["]\"",{"c":"\\\""}],"resourceType":"P"}`,
      String.raw`{"resourceType":"P","id":"a","meta":{${meta}},"a":"}\\","b":["]\"",{"c":"\\\""}]}`,
    ],
  ])('%s', (_title, text, expected) => {
    expect(stamped(text, 'a')).toBe(expected);
    // What was stored splits into the same parts again.
    expect(stamped(expected, 'a')).toBe(expected);
  });

  it('refuses a text without resourceType and a meta that is no object', () => {
    expect(() => splitForStamp('{"id":"a"}', 'a')).toThrow('no resourceType');
    expect(() => splitForStamp('{"resourceType":"P","meta":null}', 'a')).toThrow('object was expected');
  });
});

it('printInstant prints milliseconds in UTC, as Date does', () => {
  expect(printInstant(0)).toBe('1970-01-01T00:00:00.000Z');
  const near = fc.integer({ min: -3_000, max: 3_000 }).map(ms => 1_767_326_645_000 + ms);
  const any = fc.integer({ min: -8.64e15, max: 8.64e15 });
  const agrees = (ms: number): void => expect(printInstant(ms)).toBe(new Date(ms).toISOString());
  fc.assert(fc.property(fc.array(fc.oneof(near, any)), list => list.forEach(agrees)));
});
