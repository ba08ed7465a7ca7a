// https://hl7.org/fhir/R4/valueset.html#compositions: mistakes in ValueSets and CodeSystems of single files.
import { describe, expect, it } from 'vitest';
import { fhirPackage, loadWith } from '../support/definition-files.ts';

const colours = 'https://example.org/fhir/CodeSystem/colours';
const codeSystem = (fields: object) => ({
  resourceType: 'CodeSystem',
  url: colours,
  status: 'active',
  content: 'complete',
  caseSensitive: true,
  concept: [{ code: 'red', concept: [{ code: 'crimson' }] }, { code: 'blue' }],
  ...fields,
});
const setUrl = (name: string): string => `https://example.org/fhir/ValueSet/${name}`;
const valueSet = (include: readonly object[], fields: object = {}, name = 'set') => ({
  resourceType: 'ValueSet',
  url: setUrl(name),
  status: 'active',
  compose: { include },
  ...fields,
});
const load = async (set: object, system: object = {}) => {
  const { problems, warnings } = await loadWith({
    'profiles/system.json': codeSystem(system),
    'profiles/set.json': set,
    'profiles/other.json': valueSet([{ valueSet: [setUrl('set')] }], {}, 'other'),
  });
  return [...problems.map(({ file, path, text }) => `${file} ${path}: ${text}`), ...warnings];
};

describe('a ValueSet', () => {
  it.each<[title: string, set: object, reported: readonly string[]]>([
    ['of a loaded system is valid', valueSet([{ system: colours, concept: [{ code: 'crimson' }] }]), []],
    ['of a system that is not loaded is valid', valueSet([{ system: 'http://snomed.info/sct' }]), []],
    [
      'with a misspelt system is a warning',
      valueSet([{ system: 'https://example.org/fhir/CodeSystem/colors' }]),
      [
        'profiles/set.json compose.include[0].system: The CodeSystem `https://example.org/fhir/CodeSystem/colors` is ' +
          'not loaded. Did you mean `colours`?',
      ],
    ],
    [
      'with a misspelt code is a warning',
      valueSet([
        { system: 'http://snomed.info/sct' },
        { system: colours, concept: [{ code: 'red' }, { code: 'bleu' }] },
      ]),
      [
        'profiles/set.json compose.include[1].concept[1].code: `bleu` is not a code of ' +
          `\`${colours}\`. Did you mean \`blue\`?`,
      ],
    ],
    [
      'that includes another that is not loaded is a warning',
      valueSet([{ valueSet: [setUrl('othr')] }]),
      [
        'profiles/set.json compose.include[0].valueSet[0]: The ValueSet `https://example.org/fhir/ValueSet/othr` is ' +
          'not loaded. Did you mean `other`?',
      ],
    ],
    [
      'with an expansion needs no other',
      valueSet([{ valueSet: [setUrl('none')] }], {
        expansion: { timestamp: '2025-01-01', contains: [{ system: colours, code: 'red' }] },
      }),
      [],
    ],
    [
      'that includes itself stops the start',
      valueSet([{ valueSet: [setUrl('other')] }]),
      [
        'profiles/other.json compose: The ValueSet includes itself, so its codes are undecided.',
        'profiles/set.json compose: The ValueSet includes itself, so its codes are undecided.',
      ],
    ],
  ])('%s', async (_title, set, reported) => {
    expect(await load(set)).toEqual(reported);
  });

  it('of a package is not checked', async () => {
    const { problems, warnings } = await loadWith({
      'profiles/p.tgz': fhirPackage(
        { name: 'p', version: '1' },
        { 'system.json': codeSystem({}), 'set.json': valueSet([{ system: colours, concept: [{ code: 'bleu' }] }]) },
      ),
    });
    expect([problems, warnings]).toEqual([[], []]);
  });
});

describe('a CodeSystem', () => {
  it('with a code twice stops the start', async () => {
    const concept = [{ code: 'red', concept: [{ code: 'crimson' }] }, { code: 'crimson' }];
    expect(await load(valueSet([{ system: colours }]), { concept })).toEqual([
      'profiles/system.json concept[1].code: The code `crimson` is defined twice; a code has one concept.',
    ]);
  });
});
