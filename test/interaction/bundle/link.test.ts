import { expect, it } from 'vitest';
import { rewriteLinks } from '../../../src/interaction/bundle/link.ts';

it('rewriteLinks changes links and nothing else', () => {
  const text =
    String.raw`{"a":"urn:uuid:1","value":"urn:uuid:1",` +
    String.raw`"subject":{"reference":"urn:uuid:1","display":"\"reference\":\"urn:uuid:1\""},` +
    String.raw`"n":[1.10,{"reference":{"reference":"urn\u003auuid:1"}}],"url":"urn:uuid:1","valueUri":"x","reference":""}`;
  const seen: string[] = [];
  const result = rewriteLinks(text, ({ property, text: link }) => {
    seen.push(`${property} ${link}`);
    return link === 'urn:uuid:1' ? 'Patient/1' : undefined;
  });
  expect(seen).toEqual(['reference urn:uuid:1', 'reference urn:uuid:1', 'url urn:uuid:1', 'valueUri x', 'reference ']);
  expect(result).toBe(
    String.raw`{"a":"urn:uuid:1","value":"urn:uuid:1","subject":{"reference":"Patient/1","display":"\"reference\":\"urn:uuid:1\""},"n":[1.10,{"reference":{"reference":"Patient/1"}}],"url":"Patient/1","valueUri":"x","reference":""}`,
  );
});

// https://hl7.org/fhir/R4/bundle.html#references
it('rewriteLinks leaves the links between the entries of a Bundle in the text', () => {
  const entry = (fullUrl: string, reference: string) => {
    const text = `"text":{"div":"<a href=\\"${reference}\\"/>"}`;
    return `{"fullUrl":"${fullUrl}","resource":{${text},"subject":{"reference":"${reference}"}}}`;
  };
  const inner = entry('urn:uuid:1', 'urn:uuid:1');
  const result = rewriteLinks(`{"entry":[${inner},${entry('urn:uuid:2', 'urn:uuid:3')}]}`, ({ text }) => `to ${text}`);
  expect(result).toBe(`{"entry":[${inner},${entry('urn:uuid:2', 'to urn:uuid:3')}]}`);
});
