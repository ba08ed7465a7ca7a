// --watch: which changes of the files it sees (src/definitions/README.md#change-a-running-server).
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stateOf } from '../../src/engine/definitions/watch-definitions.ts';
import { root } from '../cli/process.ts';

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);
const state = (): Promise<string> => stateOf({ definitions: [at('definitions')], capability: undefined });
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'watched-'));
  cpSync(join(root, 'test/fixtures/ninth-type'), at('definitions'), { recursive: true });
  cpSync(at('definitions', 'capability'), at('elsewhere'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = 'practitioner.json';

it.each<[string, () => void]>([
  ['a file with other content', () => writeFileSync(at('definitions', 'capability', file), '{}')],
  ['a new file', () => writeFileSync(at('definitions', 'profiles', 'new.json'), '{}')],
  [
    'a file that is replaced by another one',
    () => renameSync(at('elsewhere', file), at('definitions', 'capability', file)),
  ],
  ['a file that is gone', () => unlinkSync(at('definitions', 'capability', file))],
  ['a folder that is gone', () => renameSync(at('definitions'), at('gone'))],
  ['a link out of the folder', () => symlinkSync(at('elsewhere', file), at('definitions', 'capability', 'link.json'))],
])('sees %s', async (_, change) => {
  const before = await state();
  expect(await state()).toBe(before);
  change();
  expect(await state()).not.toBe(before);
});

it('sees a change behind links, such as those of a volume with a ConfigMap of Kubernetes', async () => {
  const capability = at('definitions', 'capability');
  rmSync(capability, { recursive: true });
  mkdirSync(join(capability, '..first'), { recursive: true });
  cpSync(at('elsewhere', file), join(capability, '..first', file));
  symlinkSync('..first', join(capability, '..data'));
  symlinkSync(join('..data', file), join(capability, file));
  const before = await state();
  mkdirSync(join(capability, '..second'));
  cpSync(at('elsewhere', file), join(capability, '..second', file));
  symlinkSync('..second', join(capability, '..new'));
  renameSync(join(capability, '..new'), join(capability, '..data'));
  expect(await state()).not.toBe(before);
});

it('sees a change in a folder that is a link', async () => {
  rmSync(at('definitions', 'capability'), { recursive: true });
  symlinkSync(at('elsewhere'), at('definitions', 'capability'));
  const before = await state();
  writeFileSync(at('elsewhere', file), '{}');
  expect(await state()).not.toBe(before);
});
