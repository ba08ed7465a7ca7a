import { expect, it } from 'vitest';
import { requireModel } from '../../../src/engine/definitions/load-model.ts';
import { rewriteLinks } from '../../../src/interaction/bundle/link.ts';
import type { EntryLink } from '../../../src/interaction/bundle/link.ts';

const { definitions } = (await requireModel({ definitions: [] })).model;

const one = 'urn:uuid:1';
const to = ({ text }: EntryLink): string | undefined =>
  ({ 'urn:uuid:1': 'Patient/1', 'urn:oid:1.2.3': 'Patient/2' })[text];
const extension = (value: object) => ({ resourceType: 'Basic', extension: [{ url: 'urn:x', ...value }] });

it('rewriteLinks changes references and nothing else', () => {
  const text =
    String.raw`{"a":"urn:uuid:1","value":"urn:uuid:1",` +
    String.raw`"subject":{"reference":"urn:uuid:1","display":"\"reference\":\"urn:uuid:1\""},` +
    String.raw`"n":[1.10,{"reference":{"reference":"urn\u003auuid:1"}}],"reference":""}`;
  expect(rewriteLinks(text, definitions, to)).toBe(
    String.raw`{"a":"urn:uuid:1","value":"urn:uuid:1","subject":{"reference":"Patient/1","display":"\"reference\":\"urn:uuid:1\""},"n":[1.10,{"reference":{"reference":"Patient/1"}}],"reference":""}`,
  );
});

// https://hl7.org/fhir/R4/http.html#trules
it.each<[string, object, string]>([
  ['a url', { resourceType: 'Media', content: { url: one } }, '{"url":"Patient/1"}'],
  ['a uri', { resourceType: 'Basic', meta: { source: one } }, '{"source":"Patient/1"}'],
  ['a list of uri', { resourceType: 'Provenance', policy: ['urn:x', one] }, '["urn:x","Patient/1"]'],
  ['a value', extension({ valueUri: one }), '"valueUri":"Patient/1"'],
  ['the extension of a primitive', { resourceType: 'Basic', _created: extension({ valueUrl: one }) }, '"Patient/1"'],
  ['a contained resource', { resourceType: 'List', contained: [extension({ valueUri: one })] }, '"Patient/1"'],
])('rewriteLinks changes %s', (_, resource, part) => {
  const text = JSON.stringify({ ...resource, subject: { reference: one } });
  expect(rewriteLinks(text, definitions, to)).toContain(part);
});

// No `Type/id` is a value of these types, or an absolute address.
it.each<[string, object]>([
  ['an oid', extension({ valueOid: 'urn:oid:1.2.3' })],
  ['a uuid', extension({ valueUuid: one })],
  [
    'a canonical',
    { resourceType: 'Basic', meta: { profile: [one] }, extension: [{ url: 'urn:x', valueCanonical: one }] },
  ],
  ['a text', extension({ valueString: one })],
  ['the url of an extension', { resourceType: 'Basic', extension: [{ url: one, valueUri: 'urn:x' }] }],
  ['the url of a definition', { resourceType: 'ValueSet', url: one, status: 'active' }],
  [
    'the url of a contained definition',
    { resourceType: 'List', contained: [{ resourceType: 'CodeSystem', url: one }] },
  ],
  [
    'a system',
    { resourceType: 'Basic', identifier: [{ system: one, value: one }], code: { coding: [{ system: one }] } },
  ],
])('rewriteLinks leaves %s', (_, resource) => {
  const text = JSON.stringify(resource);
  expect(rewriteLinks(text, definitions, to)).toBe(text);
});

// https://hl7.org/fhir/R4/bundle.html#references
it('rewriteLinks leaves the links between the entries of a Bundle in the text', () => {
  const entry = (fullUrl: string, reference: string) => {
    const text = `"text":{"div":"<a href=\\"${reference}\\"/>"}`;
    return `{"fullUrl":"${fullUrl}","resource":{${text},"subject":{"reference":"${reference}"}}}`;
  };
  const inner = entry('urn:uuid:1', 'urn:uuid:1');
  const text = `{"entry":[${inner},${entry('urn:uuid:2', 'urn:uuid:3')}]}`;
  const result = rewriteLinks(text, definitions, link => `to ${link.text}`);
  expect(result).toBe(`{"entry":[${inner},${entry('urn:uuid:2', 'to urn:uuid:3')}]}`);
});
