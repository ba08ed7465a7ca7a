// https://hl7.org/fhir/R4/xml.html
import { describe, expect, it } from 'vitest';
import { jsonOfXml, linesOf } from '../../../src/fhir/xml/convert.ts';
import { XmlError } from '../../../src/fhir/xml/error.ts';
import { readTypeDefinitions } from '../../../src/model/type-definitions.ts';

const types = readTypeDefinitions();
const fhir = 'xmlns="http://hl7.org/fhir"';
const xhtml = 'xmlns="http://www.w3.org/1999/xhtml"';
const read = (text: string | Buffer): string => jsonOfXml(Buffer.from(text as string), types);
const inPatient = (content: string): string => `<Patient ${fhir}>${content}</Patient>`;
const narrative = (div: string): string => inPatient(`<text><status value="generated"/>${div}</text>`);

/** The message of the error and its place. */
function refusal(text: string | Buffer): string {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return `${error.at?.line}:${error.path}: ${error.message}`;
  }
  return 'nothing';
}

describe('XML is read as JSON', () => {
  it.each<[title: string, xml: string, json: string]>([
    [
      'numbers, booleans and strings by their types',
      inPatient('<active value="true"/><birthDate value="1980"/><multipleBirthInteger value="2"/>'),
      '"active":true,"birthDate":"1980","multipleBirthInteger":2',
    ],
    [
      'the digits of decimals',
      inPatient('<extension url="urn:a"><valueDecimal value="-1.1000e-05"/></extension>'),
      '"extension":[{"url":"urn:a","valueDecimal":-1.1000e-05}]',
    ],
    [
      'what has not the form of its type as a string, which checks report',
      inPatient('<active value="yes"/><multipleBirthInteger value="02"/>'),
      '"active":"yes","multipleBirthInteger":"02"',
    ],
    [
      'primitives with id and extension, with and without a value',
      inPatient(
        '<name id="n"><given value="a"/><given id="g"><extension url="urn:x"><valueCode value="c"/></extension>' +
          '</given>' +
          '<given value="b" id="h"/></name>' +
          '<birthDate><extension url="urn:y"><valueBoolean value="false"/></extension></birthDate>',
      ),
      '"name":[{"id":"n","given":["a",null,"b"],"_given":[null,{"id":"g","extension":[{"url":"urn:x",' +
        '"valueCode":"c"}]},{"id":"h"}]}],"_birthDate":{"extension":[{"url":"urn:y","valueBoolean":false}]}',
    ],
    [
      'contained resources',
      inPatient(
        '<contained><Organization><id value="o"/></Organization></contained>' +
          '<contained><Practitioner><id value="p"/></Practitioner></contained>',
      ),
      '"contained":[{"resourceType":"Organization","id":"o"},{"resourceType":"Practitioner","id":"p"}]',
    ],
    [
      'comments, processing instructions and white space as nothing',
      '<?xml version="1.0" encoding="utf-8"?><!-- a --><?a b?>\n' +
        `${inPatient('\n<!-- c --><?d?> <active value="true"/>\t')}<!-- e -->`,
      '"active":true',
    ],
    [
      'prefixes, and the place of a schema',
      '<f:Patient xmlns:f="http://hl7.org/fhir" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' +
        'xsi:schemaLocation="http://hl7.org/fhir ../patient.xsd"><f:active value="true"/></f:Patient>',
      '"active":true',
    ],
    [
      'line breaks, entities and every character',
      inPatient(`<id value='&lt;&#10;a&#x9;&quot;é😀\n&amp;amp;&#xFFFD;&#x10FFFF;'/>`),
      `"id":${JSON.stringify('<\na\t"é😀 &amp;\ufffd\u{10ffff}')}`,
    ],
    [
      'a narrative as XML that is equal',
      narrative(`<div ${xhtml} class='a"b'><p>a &lt; b &#160;<br /><b></b><!-- c --></p><![CDATA[<x>]]></div>`),
      `"text":{"status":"generated","div":${JSON.stringify(
        `<div ${xhtml} class="a&quot;b"><p>a &lt; b \u00a0<br/><b></b><!-- c --></p>&lt;x&gt;</div>`,
      )}}`,
    ],
    [
      'a narrative with a prefix',
      narrative('<h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>a</h:p></h:div>'),
      `"text":{"status":"generated","div":${JSON.stringify(`<div ${xhtml}><p>a</p></div>`)}}`,
    ],
    [
      'unknown elements as properties, which checks report',
      inPatient('<activ value="true"><a/></activ><activ/><name><famly value="a"/></name>'),
      '"activ":"true","name":[{"famly":"a"}]',
    ],
  ])('%s', (_, xml, json) => {
    expect(read(xml)).toBe(`{"resourceType":"Patient",${json}}`);
  });

  it('a Bundle with its resources', () => {
    const entry = (id: string): string => `<entry><resource>${inPatient(`<id value="${id}"/>`)}</resource></entry>`;
    expect(read(`<Bundle ${fhir}><type value="batch"/>${entry('a')}${entry('b')}</Bundle>`)).toBe(
      '{"resourceType":"Bundle","type":"batch","entry":[{"resource":{"resourceType":"Patient","id":"a"}},' +
        '{"resource":{"resourceType":"Patient","id":"b"}}]}',
    );
  });

  it('a resource of an unknown type without its content', () => {
    expect(read(`<Patent ${fhir}><active value="true"/></Patent>`)).toBe('{"resourceType":"Patent"}');
  });
});

describe('XML is refused, with place and line,', () => {
  const wellFormed = 'The text is not well-formed XML';
  it.each<[title: string, xml: string | Buffer, refusal: string | RegExp]>([
    ['if it is not well-formed', inPatient('<active value="true">'), new RegExp(`^1:Patient: ${wellFormed}`)],
    ['if an attribute is repeated', inPatient('<active value="true" value="true"/>'), new RegExp(wellFormed)],
    ['if it is empty', '', new RegExp(wellFormed)],
    ['if it is no XML', '{"resourceType":"Patient"}', new RegExp(wellFormed)],
    ['if something follows', `${inPatient('')}<a/>`, new RegExp(wellFormed)],
    ['in another encoding', `<?xml version="1.0" encoding="ISO-8859-1"?>${inPatient('')}`, /must be UTF-8, not `ISO/],
    ['in another version', `<?xml version="1.1"?>${inPatient('')}`, /version of XML must be 1\.0/],
    ['in bytes that are no UTF-8', Buffer.from(inPatient('<id value="é"/>'), 'latin1'), /not valid UTF-8/],
    ['with a character that XML lacks', inPatient('<id value="a\u0001"/>'), /disallowed character/],
    ['with the number of such a character', inPatient('<id value="&#1;"/>'), /malformed character entity/],
    [
      'with text outside of narratives',
      inPatient('\n<name>Ann</name>'),
      '2:Patient.name[0]: Text such as `Ann` is allowed in narratives only: a value is in the attribute `value`.',
    ],
    ['with text in CDATA', inPatient('<name><![CDATA[Ann]]></name>'), /Text such as `Ann`/],
    [
      'without a namespace',
      '<Patient><active value="true"/></Patient>',
      '1:: `Patient` has no namespace instead of `http://hl7.org/fhir`.',
    ],
    [
      'with an element of another namespace',
      inPatient('<name xmlns="urn:a"/>'),
      '1:Patient: `name` has the namespace `urn:a` instead of `http://hl7.org/fhir`.',
    ],
    [
      'with a narrative in the namespace of FHIR',
      narrative('<div>a</div>'),
      '1:Patient.text: `div` in a narrative has the namespace `http://hl7.org/fhir` instead of ' +
        '`http://www.w3.org/1999/xhtml`.',
    ],
    [
      'with an attribute that an element does not have',
      inPatient('<name value="Ann"/>'),
      '1:Patient.name[0]: `name` has only `id` as attributes, not `value`.',
    ],
    [
      'with the id of a resource as an attribute',
      `<Patient ${fhir} id="a"/>`,
      '1:Patient: `Patient` has no attributes, not `id`.',
    ],
    [
      'with an attribute as an element',
      inPatient('<extension><url value="urn:a"/></extension>'),
      '1:Patient.extension[0]: `url` of `extension` is an attribute, not an element.',
    ],
    [
      'in the wrong order',
      inPatient('\n<photo><title value="a"/></photo>\n<gender value="male"/>'),
      '3:Patient: `gender` must be before `photo`; expected after `photo`: `contact`, `communication`, ' +
        '`generalPractitioner`, `managingOrganization`, `link` or the end of `Patient`.',
    ],
    [
      'if elements of a name are not together',
      inPatient('<name><text value="a"/></name><telecom><value value="1"/></telecom><name><text value="b"/></name>'),
      /`name` must be before `telecom`/,
    ],
    [
      'if an element is repeated that may not be',
      inPatient('<gender value="male"/><gender value="female"/>'),
      '1:Patient: `gender` is repeated; `Patient` may have it once.',
    ],
    [
      'with two types of a choice',
      inPatient('<deceasedBoolean value="true"/><deceasedDateTime value="2020"/>'),
      /Only one type of `deceased\[x\]` is allowed, not `deceasedBoolean` and `deceasedDateTime`/,
    ],
    [
      'with a primitive that has neither value nor extension',
      inPatient('<birthDate/>'),
      '1:Patient.birthDate: `birthDate` has neither a `value` nor an extension.',
    ],
    [
      'with an element that has no content',
      inPatient('<name>\n</name>'),
      '2:Patient.name[0]: `name` has no content: omit it, or give it elements.',
    ],
    ['if no resource is contained', inPatient('<contained/>'), /`contained` has no resource inside/],
    [
      'if two resources are contained in one element',
      inPatient('<contained><Patient/><Patient/></contained>'),
      '1:Patient.contained[0]: `contained` has one resource inside; `Patient` is a second one.',
    ],
  ])('%s', (_, xml, expected) => {
    expect(refusal(xml)).toMatch(expected);
  });
});

describe('the lines of elements', () => {
  it('are found by FHIRPath, and that of the element around what is missing', () => {
    const bundle = `<Bundle ${fhir}>
<type value="batch"/>
<entry>
<resource>
<Patient>
<name>
<given value="a"/>
<given value="b"/>
</name>
<deceasedBoolean value="true"/>
</Patient>
</resource>
</entry>
</Bundle>`;
    const lineOf = linesOf(Buffer.from(bundle), types);
    const found = [
      'Bundle',
      'Bundle.type',
      'Bundle.entry[0].resource.name[0].given[1]',
      'Bundle.entry[0].resource.deceased',
      'Bundle.entry[0].resource.name[0].use',
      'Bundle.entry[1]',
      'Patient.name[0].given[0]',
      'Patient.name',
      'Other.name',
    ].map(lineOf);
    expect(found).toEqual([1, 2, 8, 10, 6, 3, 7, 6, undefined]);
  });
});
