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

  it('is warned of in one line where it names what nobody has', async () => {
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
      'org.example@1.0.0 names what is not here: 1 package (org.other); 1 value set (https://example.org/vs|1); 1 extension (https://example.org/ext).',
    ]);
  });

  it.each<[string, Buffer, string, string]>([
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

  it('with a file that is not JSON is refused with its name', async () => {
    const bytes = gzipSync(tar([{ name: 'package/bad.json', content: '{' }]));
    const { problems } = await loadWith({ 'profiles/x.tgz': bytes });
    expect(problems).toEqual([{ file: 'profiles/x.tgz/package/bad.json', path: '', text: 'The file is not JSON.' }]);
  });
});
