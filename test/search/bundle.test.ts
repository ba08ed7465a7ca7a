// https://hl7.org/fhir/R4/bundle.html#searchset
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchset, searchUrl } from '../../src/search/bundle.ts';

const base = 'https://example.org/r4/demo';

describe('searchset', () => {
  it('puts the texts of resources in as they are', () => {
    const text = '{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.10}}';
    const bundle = searchset({
      self: `${base}/Observation?_count=1`,
      next: `${base}/Observation?_page_token=abc`,
      total: 2,
      place: `${base}/Observation/`,
      entries: [{ id: '1', text }],
      warnings: [],
    });
    expect(bundle).toBe(
      '{"resourceType":"Bundle","type":"searchset","total":2,' +
        `"link":[{"relation":"self","url":"${base}/Observation?_count=1"},{"relation":"next",` +
        `"url":"${base}/Observation?_page_token=abc"}],` +
        `"entry":[{"fullUrl":"${base}/Observation/1","resource":${text},"search":{"mode":"match"}}]}`,
    );
  });

  it('has no entry where nothing was found', () => {
    expect(
      searchset({ self: `${base}/Observation`, place: `${base}/Observation/`, entries: [], warnings: [], total: 0 }),
    ).toBe(
      `{"resourceType":"Bundle","type":"searchset","total":0,"link":[{"relation":"self","url":"${base}/Observation"}]}`,
    );
  });

  it('lists in an outcome entry what was ignored', () => {
    const warnings = [
      { severity: 'warning', code: 'not-supported', text: 'Ignored: `x`.', expression: 'http.x' },
    ] as const;
    const bundle = JSON.parse(searchset({ self: base, place: `${base}/`, entries: [], warnings })) as {
      entry: unknown[];
    };
    expect(bundle.entry).toEqual([
      {
        fullUrl: expect.stringMatching(
          /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
        ) as string,
        resource: {
          resourceType: 'OperationOutcome',
          issue: [{ severity: 'warning', code: 'not-supported', diagnostics: 'Ignored: `x`.', expression: ['http.x'] }],
        },
        search: { mode: 'outcome' },
      },
    ]);
  });
});

describe('searchUrl', () => {
  it.each([
    [[], `${base}/Patient`],
    [[['name', 'ann bé']], `${base}/Patient?name=ann%20b%C3%A9`],
    [
      [
        ['a', 'http://s|x,y'],
        ['b:not', '1&2=3+4#5'],
      ],
      `${base}/Patient?a=http://s%7Cx,y&b:not=1%262%3D3%2B4%235`,
    ],
  ] as const)('prints %j', (given, url) => expect(searchUrl(base, 'Patient', given)).toBe(url));

  it('is read back as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), given => {
        fc.pre(given.every(([name, value]) => name.isWellFormed() && value.isWellFormed()));
        const url = searchUrl(base, 'Patient', given);
        expect([...new URL(url).searchParams]).toEqual(given);
      }),
    );
  });
});
