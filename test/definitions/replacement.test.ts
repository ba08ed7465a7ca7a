import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { indexDefinitions } from '../../src/definitions/definitions.ts';
import { readSources } from '../../src/definitions/source.ts';
import { coreTypes } from '../../src/model/type-definitions.ts';
import { fhirPackage, folderWith, ours, profile, searchParameter } from '../support/definition-files.ts';

// Which of several definitions with one url is used.

const root = join(import.meta.dirname, '../..');

async function index(files: Readonly<Record<string, unknown>>) {
  const folder = folderWith(files);
  const found = await readSources({ definitions: [folder], capability: undefined, types: coreTypes, root });
  const short = (text: string): string => text.replaceAll(`${folder}/`, '');
  const indexed = indexDefinitions(found.definitions);
  return {
    ...indexed,
    notices: indexed.notices.map(short),
    problems: [...found.problems, ...indexed.problems].map(({ file, path, text }) => ({
      file: short(file),
      path,
      text: short(text),
    })),
  };
}

const url = 'https://example.org/StructureDefinition/p';
const valueSet = (fields: object) => ({
  resourceType: 'ValueSet',
  url: 'https://example.org/vs',
  status: 'active',
  ...fields,
});
const compose = { include: [{ system: 'https://example.org/cs' }] };
const expansion = { timestamp: '2020-01-01', contains: [{ system: 'https://example.org/cs', code: 'a' }] };

describe('two definitions of one url and version', () => {
  it('are no matter where they say the same', async () => {
    const { problems, notices } = await index({
      'profiles/a.json': { ...profile('p', 'Patient'), text: { status: 'empty' }, meta: { versionId: '2' } },
      'profiles/b.json': Object.fromEntries(Object.entries(profile('p', 'Patient')).reverse()),
    });
    expect([problems, notices]).toEqual([[], []]);
  });

  it('are a problem that names both files where they differ', async () => {
    const { problems } = await index({
      'profiles/a.json': profile('p', 'Patient', { version: '1' }),
      'profiles/b.json': {
        resourceType: 'Bundle',
        type: 'collection',
        entry: [{ resource: profile('p', 'Group', { version: '1' }) }],
      },
    });
    expect(problems).toEqual([
      {
        file: 'profiles/b.json',
        path: 'entry[0].resource',
        text:
          `This defines \`${url}|1\` with other content than profiles/a.json; remove one of the two, or ` +
          'give it another version.',
      },
    ]);
  });

  it.each(['a', 'z'])('give way where one is marked incomplete (%s.json)', async name => {
    const incomplete = profile('p', 'Patient', { extension: [ours('incomplete', { valueString: 'It is guessed.' })] });
    const { definitions, problems, notices } = await index({
      [`profiles/${name}.json`]: incomplete,
      'profiles/m.json': profile('p', 'Patient', { title: 'Published' }),
    });
    expect(definitions.find('StructureDefinition', url)?.resource()['title']).toBe('Published');
    expect([problems, notices]).toEqual([[], [`profiles/m.json replaces ${url} of profiles/${name}.json.`]]);
  });

  it('let anything replace the R4 pack, with a line where it says something else', async () => {
    const official = {
      resourceType: 'SearchParameter',
      url: 'http://hl7.org/fhir/SearchParameter/Group-code',
      version: '4.0.1',
    };
    const { definitions, notices } = await index({
      'searchparameters/a.json': { ...official, code: 'code', expression: 'Group.name' },
    });
    expect(definitions.find('SearchParameter', official.url)?.resource()['expression']).toBe('Group.name');
    expect(notices).toEqual([`searchparameters/a.json replaces ${official.url}|4.0.1 of profiles/r4-core.ndjson.`]);
  });

  it('let the last file of a package win, where a ValueSet keeps its compose and takes the expansion', async () => {
    const { definitions, problems, notices } = await index({
      'profiles/x.tgz': fhirPackage(
        { name: 'x', version: '1' },
        {
          '1.json': profile('p', 'Patient', { title: 'first' }),
          '2.json': profile('p', 'Patient', { title: 'last' }),
          '3.json': valueSet({ compose }),
          '4.json': valueSet({ expansion }),
        },
      ),
    });
    expect(definitions.find('StructureDefinition', url)?.resource()['title']).toBe('last');
    expect(definitions.find('ValueSet', 'https://example.org/vs')?.resource()).toMatchObject({ compose, expansion });
    expect(problems).toEqual([]);
    expect(notices).toEqual([
      `profiles/x.tgz/package/2.json replaces ${url} of profiles/x.tgz/package/1.json.`,
      'profiles/x.tgz/package/4.json replaces https://example.org/vs of profiles/x.tgz/package/3.json.',
    ]);
  });
});

describe('a canonical', () => {
  it('finds the version that it names, else the newest', async () => {
    const { definitions } = await index({
      'profiles/a.json': profile('p', 'Patient', { version: '1.9.0' }),
      'profiles/b.json': profile('p', 'Patient', { version: '1.10.0' }),
      'profiles/c.json': profile('p', 'Patient', { version: '2.0.0-ballot' }),
    });
    const found = (canonical: string) => definitions.find('StructureDefinition', canonical)?.version;
    expect([found(url), found(`${url}|1.9.0`), found(`${url}|3`), found(`${url}x`)]).toEqual([
      '2.0.0-ballot',
      '1.9.0',
      undefined,
      undefined,
    ]);
  });
});

describe('a canonical without version', () => {
  it('finds the published one before its replacement', async () => {
    const extension = [ours('incomplete', { valueString: 'It is guessed.' })];
    const { definitions } = await index({
      'profiles/a.json': profile('p', 'Patient', { version: '1.1.0', extension }),
      'profiles/b.json': profile('p', 'Patient', { version: '1.1.0-ballot' }),
    });
    expect(definitions.find('StructureDefinition', url)?.version).toBe('1.1.0-ballot');
  });
});

describe('a folder', () => {
  it('is not left by a link', async () => {
    const outside = folderWith({ 'secret.json': searchParameter('x', {}) });
    const folder = folderWith({
      'searchparameters/in.json': searchParameter('y', {}),
      'elsewhere/z.json': searchParameter('z', {}),
    });
    symlinkSync(join(outside, 'secret.json'), join(folder, 'searchparameters/out.json'));
    symlinkSync(outside, join(folder, 'searchparameters/outside'));
    symlinkSync(join(folder, 'elsewhere/z.json'), join(folder, 'searchparameters/z.json'));
    symlinkSync(join(folder, 'searchparameters'), join(folder, 'searchparameters/loop'));
    const { problems, definitions } = await readSources({
      definitions: [folder],
      capability: undefined,
      types: coreTypes,
      root,
    });
    expect(problems.map(({ file, text }) => [file, text])).toEqual([
      [join(folder, 'searchparameters/out.json'), 'The link leads out of the folder, or nowhere.'],
      [join(folder, 'searchparameters/outside'), 'The link leads out of the folder, or nowhere.'],
    ]);
    const codes = definitions.filter(({ url }) => url.startsWith('https://example.org/')).map(({ file }) => file);
    expect(codes).toEqual([join(folder, 'searchparameters/in.json'), join(folder, 'searchparameters/z.json')]);
  });

  it.each([
    [
      'nothing',
      () => join(tmpdir(), 'is-not-there'),
      'This does not exist; `--definitions` takes a folder or a FHIR package (.tgz).',
    ],
    [
      'an empty folder',
      () => mkdtempSync(join(tmpdir(), 'empty-')),
      'The folder has none of `capability`, `searchparameters`, `profiles` and `views` inside.',
    ],
    ['a file that is no package', () => import.meta.filename, 'The file is not a FHIR package (.tgz).'],
  ])('is needed where there is %s', async (_what, path, text) => {
    const { problems } = await readSources({ definitions: [path()], capability: undefined, types: coreTypes, root });
    expect(problems).toEqual([{ file: expect.any(String), path: '', text }]);
  });
});
