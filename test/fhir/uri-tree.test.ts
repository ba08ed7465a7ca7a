// https://hl7.org/fhir/R4/search.html#uri
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isBelow, urlsAbove } from '../../src/fhir/uri-tree.ts';

it('lists the URLs above one up to its host', () => {
  expect(urlsAbove('http://acme.org/fhir/a')).toEqual([
    'http://acme.org/fhir/a',
    'http://acme.org/fhir/',
    'http://acme.org/fhir',
    'http://acme.org/',
    'http://acme.org',
  ]);
  expect(urlsAbove('http://acme.org/')).toEqual(['http://acme.org/', 'http://acme.org']);
  expect(urlsAbove('http://acme.org')).toEqual(['http://acme.org']);
});

it('lists exactly the beginnings with a host that a URL is below', () => {
  const url = fc
    .array(fc.constantFrom('/', 'a', 'b', '//'), { maxLength: 8 })
    .map(parts => `http://h${parts.join('')}`);
  fc.assert(
    fc.property(url, one => {
      const beginnings = Array.from({ length: one.length }, (_, at) => one.slice(0, at + 1));
      const above = beginnings.filter(text => text.length >= 'http://h'.length && isBelow(one, text));
      expect(urlsAbove(one).toSorted()).toEqual(above.toSorted());
    }),
  );
});
