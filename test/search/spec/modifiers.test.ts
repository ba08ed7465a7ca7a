// https://hl7.org/fhir/R4/search.html#modifiers
import { describe, expect, it } from 'vitest';
import { canonical, entry, explain, reference, refusal, resource, text, token, typed, uri } from '../thing.ts';

const v2 = 'http://terminology.hl7.org/CodeSystem/v2-0203';

const resources = [
  resource('a', [
    entry('kind', token('http://s', 'one')),
    entry('kind:text', text('Chronic headache')),
    entry('kind:text', text('Céphalée')),
  ]),
  resource('b', [entry('kind:text', text('Headache, acute'))]),
  resource('c', [
    entry('identifier', token('urn:x', '12345')),
    entry('identifier:ofType', typed([[v2, 'MR']], '12345')),
    entry('identifier:text', text('Medical record')),
  ]),
  resource('d', [
    entry('identifier:ofType', typed([[v2, 'SS']], '12345')),
    entry('identifier:ofType', typed([[v2, 'MR']], '678')),
  ]),
  resource('e', [
    entry('identifier:ofType', typed([['http://exact', 'MR']], 'Ab')),
    entry('author', reference('Group', '1')),
    entry('link', reference('Device', '1')),
  ]),
  resource('f', [entry('author', reference('Patient', '1')), entry('link', reference('Patient', '1'))]),
  resource('g', [entry('author:identifier', token('urn:x', '12345')), entry('link', canonical('Patient/1'))]),
  resource('h', [
    entry('author', reference('Patient', '2')),
    entry('author:identifier', token(undefined, 'Ab')),
    entry('link', canonical('https://example.org/r4/demo/Patient/1')),
  ]),
  resource('i', [entry('source', uri('http://acme.org/fhir')), entry('source', uri('urn:oid:1.2'))]),
  resource('j', [entry('source', uri('http://acme.org/fhir/ValueSet/123'))]),
  resource('k', [entry('source', uri('http://acme.org/fhir-2/ValueSet/123'))]),
  resource('l', [
    entry('source', uri('http://acme.org/fhir/')),
    entry('source', uri('http://acme.org/fhir/ValueSet/1')),
  ]),
  resource('m', [entry('source', uri('http://acme.org')), entry('source', uri('https://acme.org/fhir/ValueSet'))]),
];

const coded = [
  resource('a', [entry('kind', token('http://s', 'A'))]),
  resource('b', [entry('kind', token('http://s', 'b'))]),
  resource('c', [entry('kind', token('http://exact', 'A'))]),
  resource('d', [entry('kind', token('http://exact', 'ab')), entry('kind', token('http://s', '1'))]),
  resource('e', [entry('kind', token(undefined, 'a'))]),
  resource('f', [entry('kind', token('http://s/', 'a'))]),
  resource('g', [entry('kind', token('http://s', undefined)), entry('kind', token('http://exact', 'a'))]),
  resource('h', []),
];

describe('sets of codes', () => {
  const set = (name: string): string => `(param kind (in "http://vs/${name}"))`;
  it.each([
    ['listed codes of a system, without regard to case', 'kind:in=http://vs/listed', set('listed'), 'a b'],
    ['a system without a code', 'kind:in=http://vs/system', set('system'), 'a d'],
    ['a filter, where case counts', 'kind:in=http://vs/filtered', set('filtered'), 'c d'],
    ['what two value sets have in common', 'kind:in=http://vs/imported', set('imported'), 'a'],
    ['what one of two value sets has', 'kind:in=http://vs/united', set('united'), 'a b c d'],
    ['a published expansion, without abstract codes', 'kind:in=http://vs/published', set('published'), 'b f'],
    ['no code at all', 'kind:in=http://vs/empty', set('empty'), ''],
    [
      'one of two sets',
      'kind:in=http://vs/imported,http://vs/filtered',
      `(or ${set('imported')} ${set('filtered')})`,
      'a c d',
    ],
    [':not-in keeps what has no code', 'kind:not-in=http://vs/united', `(not ${set('united')})`, 'e f g h'],
    ['a concept with those below it', 'kind:below=http://s|a', '(param kind (below "http://s|a"))', 'a d'],
    ['by the property parent', 'kind:below=http://exact|A', '(param kind (below "http://exact|A"))', 'c d'],
    ['a concept with those above it', 'kind:above=http://s|1', '(param kind (above "http://s|1"))', 'a d'],
    ['a leaf', 'kind:below=http://s|b', '(param kind (below "http://s|b"))', 'b'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, coded)).toEqual({ ast, finds });
  });

  it.each([
    ['kind:in=http://vs/none', 'no ValueSet `http://vs/none` is loaded. Use a smaller set whose ValueSet and'],
    ['kind:in=http://vs/unknown', 'no CodeSystem `http://unknown` is loaded'],
    ['kind:not-in=http://vs/unknown', '400 not-supported http.kind:not-in: `kind:not-in=http://vs/unknown` cannot be'],
    ['kind:in=http://vs/cut', 'no CodeSystem `http://unknown` is loaded'],
    ['kind:in=http://vs/part', 'the CodeSystem `http://part` is not loaded completely'],
    ['kind:in=http://vs/excludes', 'the CodeSystem `http://part` is not loaded completely'],
    ['kind:in=http://vs/units', 'the codes of `http://unitsofmeasure.org` are defined by a grammar'],
    ['kind:in=http://vs/self', 'the ValueSet `http://vs/self` includes itself'],
    ['kind:in=http://vs/filter', 'its filter is of `kind`, which is no property of `http://s`'],
    ['kind:in=http://vs/pattern', 'a filter of the codes of `http://s` cannot be evaluated here'],
    ['kind:in=http://vs/nothing', 'the ValueSet `http://vs/nothing` includes nothing'],
    ['kind:in=http://vs/many', 'it has more than 10,000 codes'],
    ['kind:in=http://vs/half&kind:below=http://half|c1,http://s|a&kind:not-in=http://vs/half', '400 too-costly'],
    ['kind:in=ValueSet/1', 'no ValueSet `ValueSet/1` is loaded'],
    ['kind:in=Group/1', 'write the canonical URL of a ValueSet'],
    ['kind:below=a', '`a` is not a value for `kind:below`: write `system|code`.'],
    ['kind:below=http://s|', 'write `system|code`'],
    ['kind:below=http://s|x', 'the CodeSystem `http://s` has no code `x`'],
    ['kind:above=http://unknown|x', 'no CodeSystem `http://unknown` is loaded'],
    ['kind:above=http://part|a', 'the CodeSystem `http://part` is not loaded completely'],
    ['code:in=http://vs/listed', 'The modifier `:in` is not supported on `code`. Use `:missing`, `:not`.'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });
});

describe('modifiers that definitions declare', () => {
  it.each([
    ['a text begins so', 'kind:text=HEAD', '(param kind:text (starts "head"))', 'b'],
    ['accents are ignored in a text', 'kind:text=cephal', '(param kind:text (starts "cephal"))', 'a'],
    [
      'one of two texts',
      'kind:text=ceph,head',
      '(or (param kind:text (starts "ceph")) (param kind:text (starts "head")))',
      'a b',
    ],
    [
      'the text of the type of an identifier',
      'identifier:text=medical',
      '(param identifier:text (starts "medical"))',
      'c',
    ],
    ['the parameter alone is for codes', 'kind=one', '(param kind (token any "one"))', 'a'],
    [
      'an identifier of a type',
      `identifier:of-type=${v2}|MR|12345`,
      `(param identifier:ofType (composite (token "${v2}" "MR") (token any "12345")))`,
      'c',
    ],
    [
      'case of the type counts where its system says so, that of the value never',
      'identifier:of-type=http://exact|MR|aB',
      '(param identifier:ofType (composite (token "http://exact" "MR") (token any "aB")))',
      'e',
    ],
    [
      'a type of other case',
      'identifier:of-type=http://exact|mr|Ab',
      '(param identifier:ofType (composite (token "http://exact" "mr") (token any "Ab")))',
      '',
    ],
    ['a type of reference', 'author:Patient=1', '(param author (reference Patient "1"))', 'f'],
    ['another type of reference', 'author:Group=1', '(param author (reference Group "1"))', 'e'],
    [
      'a type of a reference that may be canonical',
      'link:Patient=1',
      '(or (param link (reference "Patient/1")) (param link (reference "https://example.org/r4/demo/Patient/1")) ' +
        '(param link (reference Patient "1")))',
      'f g h',
    ],
    [
      'the identifier of a reference',
      'author:identifier=urn:x|12345',
      '(param author:identifier (token "urn:x" "12345"))',
      'g',
    ],
    ['of any system', 'author:identifier=ab', '(param author:identifier (token any "ab"))', 'h'],
    ['without system', 'author:identifier=|12345', '(param author:identifier (token none "12345"))', ''],
    [
      'a URL and those below it',
      'source:below=http://acme.org/fhir',
      '(param source (uri below "http://acme.org/fhir"))',
      'i j l',
    ],
    [
      'below a slash',
      'source:below=http://acme.org/fhir/',
      '(param source (uri below "http://acme.org/fhir/"))',
      'j l',
    ],
    ['below a host', 'source:below=http://acme.org', '(param source (uri below "http://acme.org"))', 'i j k l m'],
    [
      'a URL and those above it',
      'source:above=http://acme.org/fhir/ValueSet/123/_history/5',
      '(param source (uri above "http://acme.org/fhir/ValueSet/123/_history/5"))',
      'i j l m',
    ],
    ['above a host', 'source:above=http://acme.org', '(param source (uri above "http://acme.org"))', 'm'],
    ['above another scheme', 'source:above=https://acme.org/a', '(param source (uri above "https://acme.org/a"))', ''],
    [
      'a reference by identifier alone is missing',
      'author:missing=true',
      '(not (present author))',
      'a b c d g i j k l m',
    ],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['kind:text=', '400 value http.kind:text: `kind:text` has no value'],
    ['kind:text=%20,a', '`kind:text` has an empty value in its list'],
    ['kind:of-type=a', 'The modifier `:of-type` is not supported on `kind`. Use `:missing`, `:not`, `:above`,'],
    ['identifier:ofType=a|b|c', 'The modifier `:ofType` is not supported on `identifier`.'],
    ['identifier:of-type=12345', 'http.identifier:of-type: `12345` is not a value for `identifier:of-type`: write'],
    ['identifier:of-type=a|b', '`a|b` is not a value for `identifier:of-type`: write `system|code|value`'],
    ['identifier:of-type=a||c', '`a||c` is not a value'],
    ['identifier:of-type=a|b|c|d', '`a|b|c|d` is not a value'],
    [
      'author:Device=1',
      'The modifier `:Device` is not supported on `author`. Use `:missing`, `:identifier`, `:Patient`, ',
    ],
    ['author:patient=1', 'The modifier `:patient` is not supported on `author`.'],
    ['author:Patient=Patient/1', '`Patient/1` is not a value for `author:Patient`: write the id of the Patient alone.'],
    ['author:identifier=|', '`|` is not a value for `author:identifier`: give a code, a system, or both'],
    ['link:Nothing=1', 'The modifier `:Nothing` is not supported on `link`.'],
    ['patient:Patient=1', 'The modifier `:Patient` is not supported on `patient`. Use `:missing`.'],
    [
      'source:below=urn:oid:1',
      '`urn:oid:1` is not a value for `source:below`: write a URL such as `http://example.org/fhir`',
    ],
    [`source:above=http://a${'/a'.repeat(100)}`, 'the path has more than 100 segments'],
    ['source:above=fhir', '`fhir` is not a value for `source:above`'],
    ['source:above=http:///a', '`http:///a` is not a value for `source:above`'],
    ['url:below=http://a', 'The modifier `:below` is not supported on `url`. Use `:missing`.'],
    ['patient:identifier=1', 'The modifier `:identifier` is not supported on `patient`. Use `:missing`.'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });
});
