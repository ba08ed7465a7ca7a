import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, ours, profile, searchParameter, statement } from '../support/definition-files.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();
const code = { name: 'code', type: 'token' };
const kind = searchParameter('kind', { base: ['Basic'], type: 'token', expression: 'Basic.code' });

/** A statement that declares Basic, and another type if it is given. */
const basic = (fields: Readonly<Record<string, unknown>> = {}) => {
  const declared = {
    type: 'Basic',
    extension: [ours('smart-scope', { valueString: 'system/Basic.rs' })],
    interaction: [{ code: 'read' }, { code: 'search-type' }],
    searchParam: [code],
  };
  const scope = [ours('smart-scope', { valueString: 'system/Group.rs' })];
  return statement(
    fields['type'] === undefined
      ? [{ ...declared, ...fields }]
      : [declared, { extension: scope, interaction: [{ code: 'read' }], ...fields }],
  );
};

/** The base binds `Group.type` with the strength `required`. */
const groups = profile('groups', 'Group', {
  differential: {
    element: [
      { id: 'Group', path: 'Group' },
      {
        id: 'Group.type',
        path: 'Group.type',
        binding: { strength: 'extensible', valueSet: 'http://hl7.org/fhir/ValueSet/group-type' },
      },
    ],
  },
}) as { url: string };

const slice = (name: string, min: number) => ({
  id: `Basic.identifier:${name}`,
  path: 'Basic.identifier',
  sliceName: name,
  min,
});
const sliced = profile('sliced', 'Basic', {
  differential: {
    element: [
      { id: 'Basic', path: 'Basic' },
      {
        id: 'Basic.identifier',
        path: 'Basic.identifier',
        max: '2',
        slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' },
      },
      slice('a', 1),
      { id: 'Basic.identifier:a.system', path: 'Basic.identifier.system', fixedUri: 'https://example.org/a' },
      slice('b', 2),
      { id: 'Basic.identifier:b.system', path: 'Basic.identifier.system', fixedUri: 'https://example.org/b' },
    ],
  },
}) as { url: string };

describe('definitions check', () => {
  it('accepts the shipped definitions', async () => {
    const { code, stdout } = await run(['definitions', 'check']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/The definitions are valid: \d+ resource types with \d+ search parameters\.\n$/);
  });

  it('reports file and place of each problem, with exit code 3', async () => {
    const folder = folderWith({
      'capability/basic.json': statement([
        { type: 'Basic', searchParam: [{ name: 'code', definition: 'http://nowhere.example/x', type: 'token' }] },
        { type: 'Group', interaction: [{ code: 'pach' }] },
      ]),
    });
    const { code, stderr } = await run(['definitions', 'check', '--definitions', folder]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/basic\.json .*nowhere\.example/);
    expect(stderr).toMatch(
      /basic\.json rest\[0\]\.resource\[1\]\.interaction\[0\]\.code: `pach` is not an interaction of a type/,
    );
    expect(stderr).toMatch(/\d+ problems: the service would not start\.\n$/);
  });

  it('reports access criteria that no search understands, which stop a start too', async () => {
    const criteria = ours('access-criteria', [
      { url: 'context', valueCode: 'user' },
      { url: 'criteria', valueString: 'code:nowhere={fhirUser}' },
    ]);
    const folder = folderWith({
      'capability/group.json': statement([
        {
          type: 'Group',
          extension: [ours('smart-scope', { valueString: 'user/Group.rs' }), criteria],
          interaction: [{ code: 'search-type' }],
          searchParam: [{ name: 'code', type: 'token' }],
        },
      ]),
    });
    const { code, stderr } = await run(['definitions', 'check', '--capability', join(folder, 'capability')]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      'The `access-criteria` `code:nowhere={fhirUser}` of Group is not a valid search on the type.\n1 ' +
        'problem: the service would not start.\n',
    );
  });

  it.each<[what: string, files: Readonly<Record<string, unknown>>, warning: RegExp]>([
    [
      'a folder whose name is misspelt',
      { 'capability/basic.json': basic(), 'capabilities/group.json': statement([{ type: 'Group' }]) },
      /^Warning: \S+capabilities: This folder is not read\. Did you mean `capability`\? Folders are `capability`, /m,
    ],
    [
      'a search parameter that nothing references',
      { 'capability/basic.json': basic(), 'searchparameters/kind.json': kind },
      /^Warning: \S+kind\.json: No capability file and no other definition names `\S+\/kind`; declare/m,
    ],
    [
      'a profile that nothing references',
      { 'capability/basic.json': basic(), 'profiles/lone.json': profile('lone', 'Basic') },
      /^Warning: \S+lone\.json: No capability file .* names `\S+\/lone`; it applies only to records that claim it in/m,
    ],
    [
      'a binding that is weaker than that of the base',
      {
        'capability/basic.json': basic({ type: 'Group', supportedProfile: [groups.url] }),
        'profiles/groups.json': groups,
      },
      /^Warning: \S+groups\.json \S+\[1\]\.binding\.strength: `Group\.type`: The binding is `exte/m,
    ],
    [
      'slices that require more than their element may have',
      {
        'capability/basic.json': basic({ supportedProfile: [sliced.url] }),
        'profiles/sliced.json': sliced,
      },
      /^Warning: .*sliced\.json \S+\[1\]\.max: `Basic\.identifier`: The slices `a`, `b` require 3 items/m,
    ],
    [
      'one parameter twice',
      { 'capability/basic.json': basic({ searchParam: [code, code] }) },
      /basic\.json rest\[0\]\.resource\[0\]\.searchParam\[1\]: Basic declares `code` twice, also at/,
    ],
    [
      'one interaction twice',
      {
        'capability/basic.json': basic({ interaction: [{ code: 'search-type' }, { code: 'read' }, { code: 'read' }] }),
      },
      /interaction\[2\]: Basic declares `read` twice/,
    ],
    [
      'one type twice in one file',
      { 'capability/basic.json': statement([...basic().rest[0]!.resource, { type: 'Basic' }]) },
      /basic\.json rest\[0\]\.resource\[1\]: The statement declares `Basic` twice, also at `resource\[0\]`;/,
    ],
  ])('warns of %s, and does not stop a start', async (_what, files, warning) => {
    const folder = folderWith(files);
    const { code: ended, stdout } = await run(['definitions', 'check', '--definitions', folder]);
    expect([ended, stdout]).toEqual([0, expect.stringMatching(warning)]);
    expect(stdout.match(/^Warning: /gm)).toHaveLength(1);
  });

  it('warns of nothing where definitions reference each other', async () => {
    const files = {
      'capability/basic.json': basic({ supportedProfile: ['https://example.org/StructureDefinition/own'] }),
      'profiles/own.json': profile('own', 'Basic', {
        baseDefinition: 'https://example.org/StructureDefinition/above',
      }),
      'profiles/above.json': profile('above', 'Basic'),
    };
    const { code: ended, stdout } = await run(['definitions', 'check', '--definitions', folderWith(files)]);
    expect([ended, stdout]).toEqual([0, expect.not.stringContaining('Warning')]);
  });

  it('reports a file that is not JSON before what follows from it', async () => {
    const folder = folderWith({
      'capability/basic.json': basic({ searchParam: [{ name: 'kind', definition: kind.url, type: 'token' }] }),
      'searchparameters/kind.json': JSON.stringify(kind).replace(/}$/, ',}'),
    });
    const { code: ended, stderr } = await run(['definitions', 'check', '--definitions', folder]);
    const [first, second] = stderr.split('\n');
    expect(ended).toBe(3);
    expect(first).toMatch(/kind\.json: .* Line 1, column \d+\.$/);
    expect(second).toMatch(
      /basic\.json .*No SearchParameter `https:\/\/example\.org\/SearchParameter\/kind` is loaded\./,
    );
  });

  it('says of a JSON array that it is one', async () => {
    const folder = folderWith({ 'capability/basic.json': basic(), 'profiles/all.json': [profile('a', 'Basic')] });
    const { code: ended, stderr } = await run(['definitions', 'check', '--definitions', folder]);
    expect([ended, stderr]).toEqual([
      3,
      expect.stringMatching(/all\.json: The file is a JSON array of 1 items; write each resource as a file of its own/),
    ]);
  });
});
