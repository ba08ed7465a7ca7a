// https://cheatsheetseries.owasp.org/cheatsheets/XML_Security_Cheat_Sheet.html
import { describe, expect, it } from 'vitest';
import { jsonOfXml } from '../../../src/fhir/xml/convert.ts';
import { XmlError } from '../../../src/fhir/xml/error.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';

const types = readTypeDefinitions();
const fhir = 'xmlns="http://hl7.org/fhir"';
const patient = (content: string): string => `<Patient ${fhir}>${content}</Patient>`;
const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');

const attacks: readonly [title: string, xml: string, message: RegExp][] = [
  ['an external entity of a file', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', /no DTD/],
  ['an external entity of a server', '<!DOCTYPE a [<!ENTITY x SYSTEM "http://127.0.0.1/">]><a>&x;</a>', /no DTD/],
  ['a parameter entity', '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1/a.dtd"> %x;]><a/>', /no DTD/],
  ['an external DTD', `<!DOCTYPE Patient SYSTEM "http://127.0.0.1/a.dtd">${patient('')}`, /no DTD/],
  ['a public DTD', `<!DOCTYPE Patient PUBLIC "-//A//B" "http://127.0.0.1/a.dtd">${patient('')}`, /no DTD/],
  ['a billion laughs', `<!DOCTYPE a [<!ENTITY l0 "lol">${laughs}]><a>&l9;</a>`, /no DTD/],
  ['a quadratic blowup', `<!DOCTYPE a [<!ENTITY x "${'x'.repeat(50_000)}">]>${patient('')}`, /no DTD/],
  ['entities that expand themselves', '<!DOCTYPE a [<!ENTITY x "&y;"><!ENTITY y "&x;">]><a>&x;</a>', /no DTD/],
  ['a DTD without end', `<!DOCTYPE a [${'<!ELEMENT a (b)>'.repeat(1_000)}`, /not well-formed/],
  ['an unknown entity', patient('<id value="&x;"/>'), /has the entities/],
  ['an entity of HTML', patient('<id value="&nbsp;"/>'), /has the entities/],
  ['an entity with the name of a method', patient('<id value="&constructor;"/>'), /has the entities/],
  ['nesting', '<a>'.repeat(100_000), /namespace/],
  ['nested extensions', patient('<extension url="a">'.repeat(100_000)), /nests? more than/],
  ['nested contained resources', patient('<contained><Patient>'.repeat(100_000)), /nests? more than/],
  ['a nested unknown element', patient('<a>'.repeat(100_000)), /nests? more than/],
  ['a nested narrative', patient(`<text><div xmlns="http://www.w3.org/1999/xhtml">${'<p>'.repeat(9_000)}`), /nest/],
  ['attributes', `<Patient ${Array.from({ length: 100_000 }, (_, at) => `a${at}="b"`).join(' ')}/>`, /more than 64/],
  ['namespaces', `<Patient ${Array.from({ length: 100_000 }, (_, at) => `xmlns:a${at}="b"`).join(' ')}/>`, /than 64/],
  ['XInclude', patient('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd"/>'), /namespace/],
  ['a comment without end', patient(`<!-- ${'-'.repeat(10_000)}`), /not well-formed/],
  ['a text without end', patient(`<id value="${'a'.repeat(100_000)}`), /not well-formed/],
  ['two hyphens in a comment', patient('<!-- a -- b -->'), /not well-formed/],
  ['`]]>` in text', patient(' ]]> '), /not well-formed|Text such as/],
  ['`<` in a value', patient('<id value="a<b"/>'), /not well-formed/],
  ['a bare ampersand', patient('<id value="a & b"/>'), /not well-formed|has the entities/],
  ['a number beyond Unicode', patient('<id value="&#99999999999999999999;"/>'), /not well-formed/],
  ['half a character', patient('<id value="&#xD800;"/>'), /not well-formed/],
];

describe('XML that attacks', () => {
  it.each(attacks)('by %s is refused', (_, xml, message) => {
    const read = (): string => jsonOfXml(Buffer.from(xml), types);
    expect(read).toThrow(XmlError);
    expect(read).toThrow(message);
  });

  it('by names of methods makes only properties', () => {
    const xml = patient('<constructor value="a"/><__proto__ value="b"/><toString/>');
    expect(jsonOfXml(Buffer.from(xml), types)).toBe(
      '{"resourceType":"Patient","constructor":"a","__proto__":"b","toString":""}',
    );
  });

  it('stylesheets and processing instructions are not carried out', () => {
    const xml = `<?xml-stylesheet href="http://127.0.0.1/"?>${patient('<?php echo ?><active value="true"/>')}`;
    expect(jsonOfXml(Buffer.from(xml), types)).toBe('{"resourceType":"Patient","active":true}');
  });
});
