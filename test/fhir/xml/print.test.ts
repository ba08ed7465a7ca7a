// https://hl7.org/fhir/R4/xml.html
import { describe, expect, it } from 'vitest';
import { jsonOfXml } from '../../../src/fhir/xml/convert.ts';
import { XmlError } from '../../../src/fhir/xml/error.ts';
import { printXml } from '../../../src/fhir/xml/print.ts';
import { xmlParts } from '../../../src/fhir/xml/print-parts.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';

const types = readTypeDefinitions();
const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const xhtml = 'xmlns="http://www.w3.org/1999/xhtml"';
const print = (content: string): string => printXml(`{${content}"resourceType":"Patient"}`, types);
const written = (content: string): string => `${head}<Patient xmlns="http://hl7.org/fhir">${content}</Patient>`;
const narrative = (div: string): string => `"text":{"div":${JSON.stringify(div)}},`;

function refusal(content: string): string {
  try {
    print(content);
  } catch (error) {
    if (error instanceof XmlError) return `${error.path}: ${error.message}`;
    throw error;
  }
  return 'nothing';
}

describe('JSON is written as XML', () => {
  it.each<[title: string, json: string, xml: string]>([
    [
      'in the order of the definition, with attributes and digits',
      '"multipleBirthInteger":2,"extension":[{"valueDecimal":1.10,"url":"urn:a","id":"x"}],"id":"p",',
      '<id value="p"/><extension id="x" url="urn:a"><valueDecimal value="1.10"/></extension>' +
        '<multipleBirthInteger value="2"/>',
    ],
    [
      'with what is beside primitives',
      '"name":[{"_given":[null,{"id":"g","extension":[{"url":"u","valueCode":"c"}]}],"given":["a",null,"b"]}],' +
        '"_birthDate":{"id":"b"},"birthDate":"2000",',
      '<name><given value="a"/><given id="g"><extension url="u"><valueCode value="c"/></extension></given>' +
        '<given value="b"/></name><birthDate id="b" value="2000"/>',
    ],
    [
      'with escaped characters',
      `"id":${JSON.stringify('a"b\'c<d>e&f\ng\th\ri\u00a0\ufffd')},`,
      '<id value="a&quot;b\'c&lt;d&gt;e&amp;f&#10;g&#9;h&#13;i\u00a0\ufffd"/>',
    ],
    [
      'with contained resources',
      '"contained":[{"id":"o","resourceType":"Organization"}],',
      '<contained><Organization><id value="o"/></Organization></contained>',
    ],
    [
      'with a narrative as it is',
      narrative(`<div ${xhtml}  class='a'>a&#160;&quot;<br /></div>`),
      `<text><div ${xhtml}  class='a'>a&#160;&quot;<br /></div></text>`,
    ],
    [
      'with a narrative that lacks its namespace, or has what FHIR forbids, as XML',
      narrative('<div><script>a</script></div>'),
      `<text><div ${xhtml}><script>a</script></div></text>`,
    ],
    [
      'with the links of a narrative as XML has them',
      narrative(`<div ${xhtml}><a href="a?b&c=1&amp;d">e</a></div>`),
      `<text><div ${xhtml}><a href="a?b&amp;c=1&amp;d">e</a></div></text>`,
    ],
  ])('%s', (_, json, xml) => {
    expect(print(json)).toBe(written(xml));
  });

  it('with a line for each element', () => {
    const text = printXml('{"resourceType":"Patient","name":[{"family":"a"}],"active":true}', types, { pretty: true });
    expect(text).toBe(
      `${head}<Patient xmlns="http://hl7.org/fhir">\n  <active value="true"/>\n  <name>\n    <family value="a"/>\n` +
        '  </name>\n</Patient>\n',
    );
  });

  it.each<[title: string, json: string, refusal: string | RegExp]>([
    [
      'a character that XML lacks',
      '"name":[{"family":"a\\u0000"}],'.replace('\\u0000', '\\u001f'),
      'Patient.name[0].family: The text has the character U+001F, which XML 1.0 does not have.',
    ],
    [
      'such a character in an attribute',
      '"extension":[{"url":"\\uffff"}],',
      /^Patient\.extension\[0\]\.url: .*U\+FFFF/,
    ],
    [
      'a narrative that is not well-formed',
      narrative(`<div ${xhtml}><p>a</div>`),
      /^Patient\.text\.div: The narrative/,
    ],
    ['a narrative with an entity of HTML', narrative(`<div ${xhtml}>&nbsp;</div>`), /The narrative is not well-formed/],
    ['a narrative with a repeated attribute', narrative(`<div ${xhtml} id="a" id="b">c</div>`), /not well-formed/],
    ['a narrative with two hyphens in a comment', narrative(`<div ${xhtml}><!-- a -- b --></div>`), /not well-formed/],
    ['a narrative with such a character', narrative(`<div ${xhtml}>&#1;</div>`), /not well-formed/],
    ['a narrative with text after it', narrative(`<div ${xhtml}>a</div>b`), /not well-formed/],
    ['an unknown element', '"nmae":[],', 'Patient.nmae: Patient has no such element, so that XML cannot have it.'],
  ])('and not %s', (_, json, expected) => {
    expect(refusal(json)).toMatch(expected);
  });

  it('in parts that are the same text', () => {
    const name = Array.from({ length: 9_000 }, (_, at) => ({ family: `Name ${at}`, given: ['a', 'b'] }));
    const text = JSON.stringify({ name, active: true, resourceType: 'Patient', _active: { id: 'x' } }, undefined, 1);
    const parts = [...xmlParts(text, types)];
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('')).toBe(printXml(text, types));
    expect([...xmlParts(text, types, { pretty: true })].join('')).toBe(printXml(text, types, { pretty: true }));
    expect(JSON.parse(jsonOfXml(Buffer.from(parts.join('')), types))).toEqual(JSON.parse(text));
  });
});
