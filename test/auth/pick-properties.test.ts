// Reading less of a record decides as reading all of it.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickProperties, propertyPattern } from '../../src/auth/pick-properties.ts';
import { narrowed } from '../../src/auth/restrict.ts';
import { generate } from '../../src/demo/generate.ts';
import { createExtract } from '../../src/indexing/extract.ts';
import { loadModel } from '../support/loaded-once.ts';

describe('the part of a record', () => {
  it('has the properties whose names begin so, and no others', () => {
    const name = fc.constantFrom(
      'subject',
      '_subject',
      'subjectOf',
      'sub',
      'code',
      '',
      's"',
      'a\\b',
      '__proto__',
      'é',
      'x',
    );
    const record = fc.array(fc.tuple(name, fc.jsonValue()), { maxLength: 6 });
    const spaces = fc.constantFrom(undefined, undefined, ' ', '\n ');
    fc.assert(
      fc.property(record, spaces, (pairs, space) => {
        const text = JSON.stringify(Object.fromEntries(pairs), undefined, space);
        const part = JSON.parse(pickProperties(text, /_?subject/y));
        const whole = Object.entries(JSON.parse(text));
        const kept = whole.filter(([key]) => /^_?subject|["\\]/.test(key));
        expect(part).toEqual(Object.fromEntries(space === undefined || kept.length === whole.length ? kept : whole));
      }),
    );
  });
});

describe('what a parameter finds in the part of a record', () => {
  it('is what it finds in all of it', async () => {
    const { model } = await loadModel({ definitions: [] });
    if (model === undefined) throw new Error('The shipped definitions are wrong');
    const extract = createExtract(model);
    const place = { id: 'demo', zone: 'UTC' };
    let found = 0;
    const odd = (text: string): string[] => [
      text,
      text.replaceAll('"subject"', '"\\u0073ubject"'),
      text.replace('"reference":"Patient/', '"reference":"http://records.example/r4/demo/Patient/'),
      `${text.replace('"reference":"Patient/', '"reference":"#').slice(0, -1)},"contained":[{"resourceType":"Patient","id":"p1-00000"}]}`,
      JSON.stringify(JSON.parse(text), undefined, 2),
    ];
    for (const { type: name, text } of generate({ patients: 3, seed: 1 })) {
      const type = model.types.get(name);
      for (const param of type?.indexed.values() ?? []) {
        const names = propertyPattern([param]);
        if (type === undefined || names === undefined) continue;
        for (const record of odd(text)) {
          const narrow = narrowed(type, [param]);
          const entries = extract(narrow, record, place);
          expect(extract(narrow, pickProperties(record, names), place)).toEqual(entries);
          found += entries.length;
        }
      }
    }
    expect(found).toBeGreaterThan(1000);
  });

  it('is not asked where an expression reads elements without naming them', () => {
    const param = (expression: string) =>
      ({ expression, components: [] }) as unknown as Parameters<typeof propertyPattern>[0][0];
    for (const text of ['Patient.descendants()', 'Patient.children().value', 'Patient.`name`'])
      expect(propertyPattern([param(text)])).toBeUndefined();
    expect(propertyPattern([param('Condition.subject.where(resolve() is Patient)')])?.source).toBe(
      '_?(?:resourceType|contained|subject)',
    );
  });
});
