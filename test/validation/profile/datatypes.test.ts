import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/fhir/json-object.ts';
import { observation, patient, problems, validatorOf } from './support/validator.ts';

// What R4 says in words of data types, Bundles and contained resources: https://hl7.org/fhir/R4/datatypes.html. The
// cases are kinds of fault that the public test cases of validators have, with the verdict of the reference validator.

const validator = validatorOf();
const uuid = 'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7';
const to = (reference: JsonObject): JsonObject => observation({ subject: reference });
const coding = (system: string): JsonObject => observation({ code: { coding: [{ system, code: 'x' }] } });
const identified = (system: string): JsonObject => patient({ identifier: [{ system, value: '1' }] });
const photo = (attachment: JsonObject): JsonObject => patient({ photo: [{ contentType: 'image/png', ...attachment }] });
const narrative = (div: string): JsonObject => patient({ text: { status: 'generated', div } });
const bundle = (type: string, ...entry: readonly JsonObject[]): JsonObject => ({ resourceType: 'Bundle', type, entry });
const ann: JsonObject = { resourceType: 'Patient', id: 'a', active: true };
const document = (author: JsonObject, subject: JsonObject): JsonObject => ({
  ...bundle(
    'document',
    {
      fullUrl: uuid.replace('77b7', '77b8'),
      resource: {
        resourceType: 'Composition',
        status: 'final',
        type: { text: 'x' },
        date: '2020',
        title: 'x',
        author: [author],
        subject,
      },
    },
    { fullUrl: uuid, resource: ann },
  ),
  identifier: { system: 'urn:ietf:rfc:3986', value: uuid },
  timestamp: '2020-01-01T00:00:00Z',
});
const urn = (digit: string): string => uuid.replace('77b7', `77a${digit}`);
const entry = (digit: string, resource: JsonObject): JsonObject => ({ fullUrl: urn(digit), resource });
const withEntries = (of: JsonObject, more: readonly JsonObject[]): JsonObject => ({
  ...of,
  entry: [...(of['entry'] as JsonObject[]), ...more],
});
const xhtml = 'xmlns="http://www.w3.org/1999/xhtml"';

const ucum = 'http://unitsofmeasure.org';
const measured = (code: string, system = ucum): JsonObject =>
  observation({ valueQuantity: { value: 1, system, code } });

describe('data types', () => {
  it.each<[title: string, resource: JsonObject, expected: readonly string[]]>([
    ['a reference to a type and an id', to({ reference: 'Patient/1' }), []],
    ['a reference to a version', to({ reference: 'Patient/1/_history/2' }), []],
    ['a reference to another server', to({ reference: 'https://example.org/fhir/Patient/1' }), []],
    ['a reference by UUID', to({ reference: uuid }), []],
    [
      'a reference to an id alone',
      to({ reference: '1' }),
      ['error Reference.reference at Observation.subject.reference'],
    ],
    [
      'a reference to a type that is none',
      to({ reference: 'Patiant/1' }),
      ['error Reference.reference at Observation.subject.reference'],
    ],
    [
      'a reference to a text',
      to({ reference: 'Patient/Ann Smith' }),
      ['error Reference.reference at Observation.subject.reference'],
    ],
    [
      'a search in place of a reference',
      to({ reference: 'Patient?identifier=1' }),
      ['error Reference.reference at Observation.subject.reference'],
    ],
    ['a type that agrees', to({ reference: 'Patient/1', type: 'Patient' }), []],
    [
      'a type that does not',
      to({ reference: 'Patient/1', type: 'Group' }),
      ['error Reference.type at Observation.subject.type'],
    ],
    [
      'a comparator under the type profile SimpleQuantity',
      observation({ referenceRange: [{ high: { value: 1, comparator: '<' } }] }),
      [
        'error sqty-1 at Observation.referenceRange[0].high',
        'error Quantity.comparator max at Observation.referenceRange[0].high.comparator',
      ],
    ],
    [
      'a code of a unit without its system',
      observation({ referenceRange: [{ high: { value: 1, code: 'mg' } }] }),
      ['error qty-3 at Observation.referenceRange[0].high'],
    ],
    ['a unit of UCUM', measured('mg/dL'), []],
    ['a unit with an annotation', measured('/100{WBC}'), []],
    ['a unit that UCUM does not have', measured('mcg'), ['error unit at Observation.value']],
    ['a unit that UCUM calls otherwise', measured('month'), ['error unit at Observation.value']],
    ['a unit of a system that is not loaded', measured('mcg', 'urn:x'), []],
    [
      'a unit that another system does not have',
      measured('mcg', 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus'),
      ['warning unit at Observation.value'],
    ],
    ['a code of UCUM', observation({ code: { coding: [{ system: ucum, code: 'mg' }] } }), []],
    [
      'a code that UCUM does not have',
      observation({ code: { coding: [{ system: ucum, code: 'mcg' }] } }),
      ['error coding at Observation.code.coding[0]'],
    ],
    ['a system that is a URL', coding('https://example.org/codes'), []],
    ['a system that is an OID', coding('urn:oid:2.16.840.1.113883.6.1'), []],
    ['a system that is a word', coding('loinc'), ['error Coding.system at Observation.code.coding[0].system']],
    [
      'a system that is a ValueSet',
      coding('http://hl7.org/fhir/ValueSet/administrative-gender'),
      ['error coding at Observation.code.coding[0]'],
    ],
    ['a code without a system', observation({ code: { coding: [{ code: 'x' }] } }), []],
    [
      'an identifier of a system that is a word',
      identified('mrn'),
      ['error Identifier.system at Patient.identifier[0].system'],
    ],
    ['an identifier of a system by UUID', identified(uuid), []],
    [
      'a UUID in capitals',
      identified(uuid.toUpperCase().replace('URN:UUID', 'urn:uuid')),
      ['error urn at Patient.identifier[0].system'],
    ],
    ['a UUID that is cut off', identified(uuid.slice(0, -1)), ['error urn at Patient.identifier[0].system']],
    ['an OID with a leading zero', identified('urn:oid:1.02.3'), ['error urn at Patient.identifier[0].system']],
    ['an OID of another root', identified('urn:oid:3.1'), ['error urn at Patient.identifier[0].system']],
    ['data of the size that is said', photo({ data: 'aGVsbG8=', size: 5 }), []],
    ['data with white space in it', photo({ data: 'aGVs bG8=', size: 5 }), []],
    [
      'data of another size',
      photo({ data: 'aGVsbG8=', size: 100 }),
      ['error Attachment.size at Patient.photo[0].size'],
    ],
    ['a size of what is elsewhere', photo({ url: 'https://example.org/a.png', size: 100 }), []],
    ['data with its hash', photo({ data: 'aGVsbG8=', hash: 'qvTGHdzF6KLavt4PO0gs2a6pQ00=' }), []],
    [
      'data with another hash',
      photo({ data: 'aGVsbG8=', hash: 'qvTGHdzF6KLavt4PO0gs2a6pQ0E=' }),
      ['error Attachment.hash at Patient.photo[0].hash'],
    ],
    ['a hash of what is elsewhere', photo({ url: 'https://example.org/a.png', hash: 'AAAA' }), []],
    [
      'a relative canonical',
      { resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: 'Questionnaire/1' },
      ['warning canonical at QuestionnaireResponse.questionnaire'],
    ],
    [
      'an absolute canonical',
      { resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: 'urn:oid:1.2|3' },
      [],
    ],
    ['data that is no base64', photo({ data: '%%%2@()()' }), ['error value at Patient.photo[0].data']],
    ['a day that no month has', patient({ birthDate: '2021-02-30' }), ['error value at Patient.birthDate']],
    ['an empty text', patient({ name: [{ text: '' }] }), ['error value at Patient.name[0].text']],
    ['an object without anything', patient({ contact: [{}] }), ['error structure at Patient.contact[0]']],
    ['comments of an older FHIR', patient({ fhir_comments: ['x'] }), ['error structure at Patient.fhir_comments']],
    ['an integer beyond 32 bits', patient({ multipleBirthInteger: 3e9 }), ['error value at Patient.multipleBirth']],
  ])('%s', (_title, resource, expected) => {
    expect(problems(validator, resource)).toEqual(expected);
  });
});

describe('narratives', () => {
  it.each<[title: string, div: string, wrong: boolean]>([
    ['a paragraph', `<div ${xhtml}><p class="a">x &lt; y &amp; z</p></div>`, false],
    ['another namespace', '<div xmlns="http://www.w3.org/1999/xhtmlx">x</div>', true],
    ['no namespace', '<div>x</div>', true],
    ['a document type', `<!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]><div ${xhtml}>&y;</div>`, true],
    ['a handler', `<div ${xhtml}><p onClick="x">x</p></div>`, true],
    ['an object', `<div ${xhtml}><object value="x">x</object></div>`, true],
    ['an element that is not closed', `<div ${xhtml}><p>x</pa></div>`, true],
    ['the entities of XML', `<div ${xhtml}>&lt;&gt;&amp;&quot;&apos;</div>`, false],
    ['entities by number', `<div ${xhtml}>&#160;&#xA0;&#x1F600;</div>`, false],
    ['an entity of HTML', `<div ${xhtml}>a&nbsp;b</div>`, true],
    ['an entity of HTML with a digit in its name', `<div ${xhtml}>&frac12;</div>`, true],
    ['an entity of XML in capitals', `<div ${xhtml}>&AMP;</div>`, true],
    ['an entity of HTML in an attribute', `<div ${xhtml}><p title="a&nbsp;b">x</p></div>`, true],
    ['an entity of XML in an attribute', `<div ${xhtml}><a href="?a=1&amp;b=2">x</a></div>`, false],
    ['a link as browsers take it', `<div ${xhtml}><a href="?a=1&b=2">x</a></div>`, false],
    ['no character at all', `<div ${xhtml}>x&#0;</div>`, true],
    ['a number that is no character', `<div ${xhtml}>x&#x110000;</div>`, true],
    ['a link that runs a script', `<div ${xhtml}><a href="javascript:x">x</a></div>`, true],
    ['white space alone', `<div ${xhtml}> <p> </p></div>`, true],
  ])('%s', (_title, div, wrong) => {
    const found = problems(validator, narrative(div));
    expect(found.map(one => one.replace(/txt-[12]/, 'txt'))).toEqual(wrong ? ['error txt at Patient.text.div'] : []);
  });
});

describe('the text of a narrative that is not well-formed', () => {
  it.each([
    [`<div ${xhtml}>a & b</div>`, 'The narrative has an `&` that begins no entity; write `&amp;`. (txt-1)'],
    [
      `<div ${xhtml}><object>x</object></div>`,
      'The narrative has the element `object`, which a narrative may not have',
    ],
    [`<div ${xhtml}><p>x</div>`, 'The narrative closes `div` where `p` is open. (txt-1)'],
  ])('says what is wrong: %s', (div, text) => {
    const [issue] = validator.validate(narrative(div));
    expect(issue?.text).toContain(text);
  });
});

describe('the images of a narrative', () => {
  const image = (src: string): string => `<div ${xhtml}><img src="${src}" alt="x"/><p id="p">x</p></div>`;
  const warning = ['warning image #b at Patient.text.div'];
  it.each<[title: string, resource: JsonObject, expected: readonly string[]]>([
    ['elsewhere', narrative(image('https://example.org/a.png')), []],
    ['of an element', { ...narrative(image('#a')), photo: [{ id: 'a', url: 'https://example.org/a.png' }] }, []],
    ['of the narrative', narrative(image('#p')), []],
    ['of nothing', narrative(image('#b')), warning],
  ])('%s', (_title, resource, expected) => {
    expect(problems(validator, resource)).toEqual(expected);
  });
});

describe('resources in resources', () => {
  it.each<[title: string, resource: JsonObject, expected: readonly string[]]>([
    [
      'contained resources of one id',
      observation({ contained: [ann, ann], subject: { reference: '#a' } }),
      ['error contained id at Observation.contained[1].id'],
    ],
    [
      'a contained resource that does not exist',
      observation({ subject: { reference: '#a' } }),
      ['error ref-1 at Observation.subject'],
    ],
    [
      'a contained resource without a reference to it',
      observation({ contained: [ann] }),
      ['error dom-3 at Observation'],
    ],
    ['an entry of its own name', bundle('collection', { fullUrl: 'https://example.org/Patient/a', resource: ann }), []],
    ['an entry by UUID', bundle('collection', { fullUrl: uuid, resource: ann }), []],
    [
      'an entry of another name',
      bundle('collection', { fullUrl: 'https://example.org/Patient/b', resource: ann }),
      ['error Bundle.entry.fullUrl at Bundle.entry[0].fullUrl'],
    ],
    [
      'an entry of another type',
      bundle('collection', { fullUrl: 'https://example.org/Group/a', resource: ann }),
      ['error Bundle.entry.fullUrl at Bundle.entry[0].fullUrl'],
    ],
    [
      'an entry with a relative URL',
      bundle('collection', { fullUrl: 'Patient/a', resource: ann }),
      ['error Bundle.entry.fullUrl at Bundle.entry[0].fullUrl'],
    ],
    [
      'an entry without a name',
      bundle('collection', { resource: ann }),
      ['error Bundle.entry.fullUrl at Bundle.entry[0]'],
    ],
    [
      'an entry of a batch without a name',
      bundle('batch', { resource: ann, request: { method: 'POST', url: 'Patient' } }),
      [],
    ],
    [
      'a search in a reference of a transaction',
      bundle('transaction', {
        resource: to({ reference: 'Patient?identifier=1' }),
        request: { method: 'POST', url: 'Observation' },
      }),
      [],
    ],
    [
      'the outcome of a search',
      bundle('searchset', {
        resource: { resourceType: 'OperationOutcome', issue: [{ severity: 'warning', code: 'informational' }] },
        search: { mode: 'outcome' },
      }),
      [],
    ],
    [
      'two entries of one name',
      bundle('collection', { fullUrl: uuid, resource: ann }, { fullUrl: uuid, resource: ann }),
      ['error bdl-7 at Bundle'],
    ],
    [
      'a document that begins with something else',
      {
        ...bundle('document', { fullUrl: uuid, resource: ann }),
        identifier: { system: 'urn:ietf:rfc:3986', value: uuid },
        timestamp: '2020-01-01T00:00:00Z',
      },
      ['error bdl-11 at Bundle'],
    ],
    [
      'a document without what its first entry refers to',
      document({ reference: 'Patient/b' }, { reference: uuid }),
      ['error document at Bundle.entry[0].resource.author[0].reference'],
    ],
    ['a document with all of it', document({ reference: uuid }, { reference: uuid }), []],
    [
      'a document with entries that its first one does not reach',
      withEntries(document({ reference: uuid }, { reference: uuid }), [
        entry('1', { resourceType: 'Basic', code: { text: 'x' }, subject: { reference: uuid } }),
        entry('2', { resourceType: 'Binary', contentType: 'text/css', data: 'eA==' }),
        entry('3', { resourceType: 'Binary', contentType: 'image/png', data: 'eA==' }),
      ]),
      ['warning document content at Bundle.entry[2]', 'warning document content at Bundle.entry[4]'],
    ],
    [
      'a document whose first entry reaches others through others, and their provenance',
      withEntries(document({ reference: urn('1') }, { reference: uuid }), [
        entry('1', {
          resourceType: 'PractitionerRole',
          practitioner: { reference: urn('2') },
        }),
        entry('2', { resourceType: 'Practitioner', photo: [{ contentType: 'image/png', url: urn('3') }] }),
        entry('3', { resourceType: 'Binary', contentType: 'image/png', data: 'eA==' }),
        entry('4', {
          resourceType: 'Provenance',
          target: [{ reference: urn('2') }],
          recorded: '2020-01-01T00:00:00Z',
          agent: [{ who: { reference: urn('5') } }],
        }),
        entry('5', { resourceType: 'Practitioner', active: true }),
      ]),
      [],
    ],
    [
      'a type beside a reference to another one of the Bundle',
      bundle(
        'collection',
        { fullUrl: uuid, resource: ann },
        { fullUrl: uuid.replace('77b7', '77b8'), resource: to({ reference: uuid, type: 'Group' }) },
      ),
      ['error Reference.type at Bundle.entry[1].resource.subject.type'],
    ],
  ])('%s', (_title, resource, expected) => {
    expect(problems(validator, resource)).toEqual(expected);
  });
});
