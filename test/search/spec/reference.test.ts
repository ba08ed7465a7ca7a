// https://hl7.org/fhir/R4/search.html#reference
import { describe, expect, it } from 'vitest';
import { canonical, entry, explain, reference, refusal, resource } from '../thing.ts';

const both = (param: string) => [
  entry('patient', reference('Patient', param)),
  entry('focus', reference('Patient', param)),
];
const resources = [
  resource('a', [...both('1'), entry('subject', reference('Patient', '1'))]),
  resource('b', [entry('subject', reference('Group', '1')), entry('focus', reference('Device', '1'))]),
  resource('c', [entry('focus', canonical('https://elsewhere.org/fhir/Patient/1'))]),
  resource('d', [entry('focus', canonical('urn:uuid:1')), entry('plan', canonical('http://plan', '1.0'))]),
  resource('e', [entry('plan', canonical('http://plan'))]),
  resource('f', [
    entry('patient', canonical('https://example.org/r4/demo/Patient/3')),
    entry('focus', canonical('https://example.org/r4/demo/Device/3')),
  ]),
  resource('g', [entry('patient', reference('Patient', '3'))]),
];

describe('reference search', () => {
  it.each([
    ['Type/id', 'patient=Patient/1', '(param patient (reference Patient "1"))', 'a'],
    ['an id, its type from the target', 'patient=1', '(param patient (reference Patient "1"))', 'a'],
    [
      'an id, one of several targets',
      'subject=1',
      '(or (param subject (reference Patient "1")) (param subject (reference Group "1")))',
      'a b',
    ],
    ['an id, no limit to targets', 'focus=1', '(param focus (reference any "1"))', 'a b'],
    [
      'our own absolute URL',
      'patient=https://example.org/r4/demo/Patient/1',
      '(param patient (reference Patient "1"))',
      'a',
    ],
    [
      'an absolute URL elsewhere',
      'focus=https://elsewhere.org/fhir/Patient/1',
      '(param focus (reference "https://elsewhere.org/fhir/Patient/1"))',
      'c',
    ],
    ['Type/id, of an absolute reference too', 'patient=Patient/3', '(param patient (reference Patient "3"))', 'f g'],
    ['an id, of an absolute reference too', 'focus=3', '(param focus (reference any "3"))', 'f'],
    ['a urn', 'focus=urn:uuid:1', '(param focus (reference "urn:uuid:1"))', 'd'],
    ['no resource has the id', 'patient=2', '(param patient (reference Patient "2"))', ''],
    ['a canonical of any version', 'plan=http://plan', '(param plan (reference "http://plan"))', 'd e'],
    ['a canonical with its version', 'plan=http://plan|1.0', '(param plan (reference "http://plan" "1.0"))', 'd'],
    ['or', 'patient=2,1', '(or (param patient (reference Patient "2")) (param patient (reference Patient "1")))', 'a'],
    [':missing', 'patient:missing=true', '(not (present patient))', 'b c d e'],
  ])('%s: %s', (_, query, ast, finds) => {
    expect(explain(query, resources)).toEqual({ ast, finds });
  });

  it.each([
    ['patient=', '`patient` has no value'],
    ['patient=Patient/', '`patient` has no value'],
    ['patient=/', '`patient` has no value'],
    ['patient=Patient/1,Patient/', '`patient` has an empty value in its list'],
    [
      'patient=Practitioner/1',
      '`Practitioner/1` is not a value for `patient`: write `Patient/id`, the id alone, or an absolute URL.',
    ],
    ['subject=Device/1', 'write `Patient/id` with one of the types `Patient`, `Group`, the id alone'],
    ['focus=Nothing/1', 'write `Type/id`'],
    ['patient=https://example.org/r4/demo/Practitioner/1', 'write `Patient/id`'],
    ['patient=https://example.org/r4/demo/metadata', '`patient`'],
    ['patient=a_b', 'is not a value'],
    ['patient=patient/1', 'is not a value'],
    ['patient=%23p1', 'is not a value'],
    ['patient=Patient/1|2', 'is not a value'],
    [
      'patient=Patient/1/_history/2',
      '400 value http.patient: `Patient/1/_history/2` is not a value for `patient`: ' +
        'references are searched by resource and not by version, so write `Patient/1`.',
    ],
    ['focus=https://elsewhere.org/fhir/Patient/1/_history/2', 'so write `https://elsewhere.org/fhir/Patient/1`'],
    ['form=Patient/gcs', 'write `Questionnaire/id`'],
    ['form=%23part', 'write `Questionnaire/id`'],
    ['plan=http://plan|', 'a canonical is written `url|version`'],
    ['patient:Patient=1', '400 code-invalid http.patient:Patient'],
    ['patient:identifier=1', '400 code-invalid'],
    ['patient:not=1', '400 code-invalid'],
  ])('refuses %s', (query, error) => {
    expect(refusal(query)).toContain(error);
  });

  const base = 'https://example.org/r4/demo';
  const forms = [
    resource('relative', [entry('form', canonical('Questionnaire/gcs'))]),
    resource('versioned', [entry('form', canonical('Questionnaire/gcs', '1.0'))]),
    resource('own', [entry('form', canonical(`${base}/Questionnaire/gcs`))]),
    resource('other', [entry('form', canonical('https://elsewhere.org/r4/demo/Questionnaire/gcs'))]),
    resource('part', [entry('form', canonical('#gcs'))]),
    resource('bare', [entry('form', canonical('forms/gcs.json', '2'))]),
    resource('none', []),
  ];

  it.each([
    ['a relative canonical', 'form=Questionnaire/gcs', 'relative versioned own'],
    ['our own absolute URL', `form=${base}/Questionnaire/gcs`, 'relative versioned own'],
    ['the id alone, where there is one target', 'form=gcs', 'relative versioned own'],
    ['a relative canonical with its version', 'form=Questionnaire/gcs|1.0', 'versioned'],
    ['our own absolute URL with a version', `form=${base}/Questionnaire/gcs|1.0`, 'versioned'],
    ['the id with a version', 'form=gcs|1.0', 'versioned'],
    ['a canonical elsewhere', 'form=https://elsewhere.org/r4/demo/Questionnaire/gcs', 'other'],
    ['no fragment is part of what is searched', 'form=Questionnaire/gcs%23top', 'relative versioned own'],
    ['a relative text of another form, exactly', 'form=forms/gcs.json', 'bare'],
    ['such a text with its version', 'form=forms/gcs.json|2', 'bare'],
    ['case counts', 'form=Questionnaire/GCS', ''],
    [':missing, where a fragment alone counts as present', 'form:missing=true', 'none'],
  ])('finds canonicals by %s: %s', (_, query, finds) => {
    expect(explain(query, forms).finds).toBe(finds);
  });
});
