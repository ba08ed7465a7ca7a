import { describe, expect, it } from 'vitest';
import { fhirPackage, loadWith, profile } from '../../support/definition-files.ts';

// Each file of a folder of definitions is read, or is reported, or is no definition.

describe('a file is refused', () => {
  it.each<[string, string, unknown, [path: string, text: unknown]]>([
    ['that is not JSON', 'profiles/a.json', '{"a": 1,}', ['', expect.stringMatching(/Line 1, column 9\.$/)]],
    [
      'with a property twice',
      'capability/a.json',
      '{"resourceType": "CapabilityStatement", "extension": [], "extension": []}',
      ['', expect.stringMatching(/extension/)],
    ],
    ['with two byte order marks', 'profiles/a.json', '\uFEFF\uFEFF{}', ['', expect.stringMatching(/byte order mark/)]],
    [
      'whose resource type is misspelt',
      'searchparameters/a.json',
      { resourceType: 'SearchParamter' },
      ['resourceType', '`SearchParamter` is not a resource type of FHIR R4. Did you mean `SearchParameter`?'],
    ],
    [
      'that is XML and not well-formed',
      'profiles/a.xml',
      '<?xml version="1.0"?>\n<!-- ours -->\n<StructureDefinition xmlns="http://hl7.org/fhir"><id value="a"/>',
      ['', expect.stringMatching(/unclosed tag: StructureDefinition. Line 3, column \d+\.$/)],
    ],
    ['that is not JSON, by a name in capitals', 'profiles/A.JSON', '{', ['', expect.stringMatching(/^The text ends/)]],
    [
      'of another release',
      'profiles/a.json',
      { ...profile('p', 'Group'), fhirVersion: '5.0.0', versionAlgorithmString: 'semver' },
      ['fhirVersion', 'The StructureDefinition is for FHIR 5.0.0; this server is FHIR R4 (4.0.1).'],
    ],
    [
      'without a url',
      'profiles/a.json',
      { ...profile('p', 'Group'), url: undefined },
      ['url', expect.stringMatching(/^The StructureDefinition has no `url`; write the canonical URL by which /)],
    ],
  ])('%s', async (_what, file, content, [path, text]) => {
    const { problems } = await loadWith({ [file]: content });
    expect(problems).toEqual([{ file, path, text }]);
  });

  it('but examples and files that are not FHIR are passed over', async () => {
    const { problems, notices } = await loadWith({
      'profiles/example.json': { resourceType: 'Patient', id: 'x' },
      'profiles/tsconfig.json': { compilerOptions: {} },
      'profiles/notes.txt': 'hello',
      'profiles/patient.xml': '<Patient xmlns="http://hl7.org/fhir"/>',
      'profiles/build.xml': '<project name="ValueSet" xmlns="urn:x"/>',
      // The folder of a published guide has each definition as JSON, XML and Turtle.
      'profiles/p.json': profile('p', 'Group'),
      'profiles/p.xml': '<StructureDefinition xmlns="http://hl7.org/fhir"><id value="p"/></StructureDefinition>',
    });
    expect([problems, notices]).toEqual([[], []]);
  });
});

describe('a profile that does not say that it is one', () => {
  const group = (fields: object) => ({ ...profile('p', 'Group'), ...fields });
  const start = '`https://example.org/StructureDefinition/p` is a profile of Group, but';
  it.each<[title: string, fields: object, problem: string]>([
    ['has another derivation', { derivation: 'specialization' }, 'its `derivation` is "specialization".'],
    ['has no derivation', { derivation: undefined }, 'has no `derivation`.'],
    [
      'rests on another profile',
      { derivation: undefined, baseDefinition: 'http://hl7.org/fhir/StructureDefinition/actualgroup' },
      'has no `derivation`.',
    ],
  ])('%s', async (_title, fields, problem) => {
    const { problems } = await loadWith({ 'profiles/p.json': group(fields) });
    expect(problems).toEqual([
      { file: 'profiles/p.json', path: 'derivation', text: `${start} ${problem} Write \`constraint\`.` },
    ]);
  });

  it('is a notice where it comes in a package', async () => {
    const { problems, notices } = await loadWith({
      'profiles/p.tgz': fhirPackage({ name: 'p', version: '1' }, { 'p.json': group({ derivation: 'specialization' }) }),
    });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      `profiles/p.tgz/package/p.json: ${start} its \`derivation\` is "specialization". It counts as a constraint.`,
    ]);
  });

  it('is no problem of a type itself, or of a logical model', async () => {
    const own = { derivation: 'specialization', baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Element' };
    const { problems } = await loadWith({
      'profiles/a.json': group({ ...own, kind: 'complex-type', type: 'p' }),
      'profiles/b.json': group({
        ...own,
        kind: 'logical',
        url: 'https://example.org/StructureDefinition/q',
        type: 'q',
      }),
    });
    expect(problems).toEqual([]);
  });
});
