import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fhirPackage, loadWith, ours, profile, searchParameter, statement, tar } from '../support/definition-files.ts';

// https://confluence.hl7.org/display/FHIR/NPM+Package+Specification

const manifest = { name: 'org.example', version: '1.0.0', fhirVersions: ['4.0.1'] };

describe('a package', () => {
  it('gives its definitions, and never widens the interface', async () => {
    const content = {
      'license.json': searchParameter('license', {
        base: ['Practitioner'],
        type: 'token',
        expression: 'Practitioner.qualification.identifier',
      }),
      'statement.json': statement([{ type: 'Group', interaction: [{ code: 'read' }] }]),
      'patient.json': { resourceType: 'Patient', id: 'example' },
      'other.json': { hello: 'world' },
    };
    const practitioner = {
      extension: [ours('smart-scope', { valueString: 'system/Practitioner.rs' })],
      type: 'Practitioner',
      interaction: [{ code: 'search-type' }],
      searchParam: [{ name: 'license', definition: 'https://example.org/SearchParameter/license', type: 'token' }],
    };
    const { model, problems, warnings, notices } = await loadWith({
      'profiles/org.example.tgz': fhirPackage(manifest, content),
      'capability/practitioner.json': statement([practitioner]),
    });
    expect([problems, warnings, notices]).toEqual([[], [], []]);
    expect(model?.types.get('Practitioner')?.parameters.get('license')?.expression).toBe(
      'Practitioner.qualification.identifier',
    );
    expect(model?.types.has('Group')).toBe(false);
  });

  it('is reported in one warning if it names definitions that are not loaded', async () => {
    const element = [
      { id: 'Patient', path: 'Patient' },
      { id: 'a', path: 'Patient.a', binding: { strength: 'required', valueSet: 'https://example.org/vs|1' } },
      { id: 'b', path: 'Patient.b', binding: { strength: 'preferred', valueSet: 'https://example.org/other' } },
      { id: 'c', path: 'Patient.c', binding: { strength: 'extensible', valueSet: 'http://hl7.org/fhir/ValueSet/x' } },
      { id: 'd', path: 'Patient.extension', type: [{ code: 'Extension', profile: ['https://example.org/ext'] }] },
    ];
    const { warnings, problems } = await loadWith({
      'profiles/x.tgz': fhirPackage(
        { ...manifest, dependencies: { 'hl7.fhir.r4.core': '4.0.1', 'org.other': '2' } },
        { 'p.json': profile('p', 'Patient', { snapshot: { element } }) },
      ),
    });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      'org.example@1.0.0 references definitions that are not loaded: 1 package (org.other); 1 value ' +
        'set (https://example.org/vs|1); 1 extension (https://example.org/ext).',
    ]);
  });

  it.each<[string, string, string[]]>([
    ['1.2.3', '1.2.3', []],
    ['1.2.x', '1.2.9', []],
    ['1.x', '1.9.0-ballot', []],
    ['current', '7.0.0', []],
    ['^1.0.0', '7.0.0', []],
    ['1.2.3', '1.2.4', ['a.b@1 needs c.d in version 1.2.3; c.d@1.2.4 is loaded and used instead.']],
    ['1.2.x', '1.3.0', ['a.b@1 needs c.d in version 1.2.x; c.d@1.3.0 is loaded and used instead.']],
  ])('that needs version %s of another is content with %s, or says so', async (wanted, version, said) => {
    const { warnings, problems } = await loadWith({
      'profiles/a.tgz': fhirPackage({ name: 'a.b', version: '1', dependencies: { 'c.d': wanted } }, {}),
      'profiles/c.tgz': fhirPackage({ name: 'c.d', version }, {}),
    });
    expect([problems, warnings]).toEqual([[], said]);
  });

  it('may be there in two versions, which is said', async () => {
    const of = (version: string) =>
      fhirPackage({ name: 'c.d', version }, { 'p.json': profile('p', 'Patient', { version, title: version }) });
    const { model, warnings, problems } = await loadWith({
      'profiles/a.tgz': fhirPackage({ name: 'a.b', version: '1', dependencies: { 'c.d': '1.0.0' } }, {}),
      'profiles/c1.tgz': of('1.0.0'),
      'profiles/c2.tgz': of('2.0.0'),
    });
    expect([problems, warnings]).toEqual([
      [],
      ['c.d@1.0.0 and c.d@2.0.0 are both loaded; a canonical without version means the newest of its url.'],
    ]);
    const title = (canonical: string): unknown => model?.snapshot(canonical)?.structure['title'];
    const url = 'https://example.org/StructureDefinition/p';
    expect([title(url), title(`${url}|1.0.0`)]).toEqual(['2.0.0', '1.0.0']);
  });

  it('that says otherwise than another of one url and version is a problem that names both', async () => {
    const of = (title: string) =>
      fhirPackage({ name: title, version: '1' }, { 'p.json': profile('p', 'Patient', { version: '1', title }) });
    const { problems } = await loadWith({ 'profiles/a.tgz': of('a'), 'profiles/b.tgz': of('b') });
    expect(problems).toEqual([
      {
        file: 'profiles/b.tgz/package/p.json',
        path: '',
        text:
          'This defines `https://example.org/StructureDefinition/p|1` with other content than ' +
          'profiles/a.tgz/package/p.json; remove one of the two, or give it another version.',
      },
    ]);
  });

  it.each<[string, object, string]>([
    ['examples in folders of their own', manifest, 'example/p.json'],
    ['what else lies below', manifest, 'other/p.json'],
    ['its index', manifest, '.index.json'],
    ['all of a package of examples', { ...manifest, type: 'fhir.examples' }, 'p.json'],
  ])('is read without %s', async (_what, said, name) => {
    const { model, problems } = await loadWith({
      'profiles/x.tgz': fhirPackage(said, { [name]: profile('p', 'Patient') }),
    });
    expect(problems).toEqual([]);
    expect(model?.snapshot('https://example.org/StructureDefinition/p')).toBeUndefined();
  });

  it.each<[string, Buffer, string, string]>([
    [
      'with a way out of it',
      gzipSync(tar([{ name: 'package/../../p.json' }])),
      '',
      'The entry "package/../../p.json" leads out of the package by `..`.',
    ],
    [
      'that swells',
      gzipSync(tar([{ name: 'package/p.json', content: Buffer.alloc(65 * 1024 ** 2) }])),
      '',
      'The entry "package/p.json" is larger than 67108864 bytes.',
    ],
    [
      'for another release',
      fhirPackage({ ...manifest, fhirVersions: ['5.0.0'] }, {}),
      'fhirVersions',
      'The package is for FHIR 5.0.0; this server is FHIR R4 (4.0.1).',
    ],
    [
      'with a link',
      gzipSync(tar([{ name: 'package/a.json', type: '2' }])),
      '',
      'The entry "package/a.json" is a link; packages hold plain files.',
    ],
    ['that is not gzip', Buffer.from('PK'), '', 'The file is not gzip, or it is damaged (incorrect header check).'],
    [
      'that is cut off',
      fhirPackage(manifest, {}).subarray(0, 60),
      '',
      'The file is not gzip, or it is damaged (unexpected end of file).',
    ],
  ])('%s is refused', async (_what, bytes, path, text) => {
    const { model, problems } = await loadWith({ 'profiles/x.tgz': bytes });
    expect(model).toBeUndefined();
    expect(problems).toEqual([{ file: 'profiles/x.tgz', path, text }]);
  });

  it.each<[string, string, unknown]>([
    ['a trailing comma', '{"url": "x",}', expect.stringMatching(/Line 1, column 13\.$/)],
    ['two byte order marks', '\uFEFF\uFEFF{}', 'The text begins with a byte order mark: remove it. Line 1, column 1.'],
  ])('with a file that is not JSON, by %s, is refused with its name and the place', async (_what, content, text) => {
    const bytes = gzipSync(tar([{ name: 'package/bad.json', content }]));
    const { problems } = await loadWith({ 'profiles/x.tgz': bytes });
    expect(problems).toEqual([{ file: 'profiles/x.tgz/package/bad.json', path: '', text }]);
  });

  it('with its definitions in no folder `package` is refused', async () => {
    const bytes = gzipSync(
      tar([
        { name: 'package.json', content: '{}' },
        { name: 'profiles/p.json', content: '{}' },
      ]),
    );
    const { problems } = await loadWith({ 'profiles/x.tgz': bytes });
    expect(problems).toEqual([
      { file: 'profiles/x.tgz', path: '', text: expect.stringMatching(/^The archive has no JSON files directly in /) },
    ]);
  });
});
