import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith, ours, statement } from '../support/definition-files.ts';
import { inOneProcess } from './one-process.ts';

const run = inOneProcess();

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
});
