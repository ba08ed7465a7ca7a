// https://hl7.org/fhir/R4/search.html#modifiers
import { describe, expect, it } from 'vitest';
import { canonical, entry, explain, reference, refusal, resource, text, token, typed } from '../thing.ts';

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
];

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
    ['a reference by identifier alone is missing', 'author:missing=true', '(not (present author))', 'a b c d g'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['kind:text=', '400 value http.kind:text: `kind:text` has no value'],
    ['kind:text=%20,a', '`kind:text` has an empty value in its list'],
    ['kind:of-type=a', 'The modifier `:of-type` is not supported on `kind`. Use `:missing`, `:not`, `:text`.'],
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
    ['patient:identifier=1', 'The modifier `:identifier` is not supported on `patient`. Use `:missing`.'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });
});
