import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { boundCompiled } from '../../src/cli/bound-compiled.ts';

function folderWith(files: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [at, [name, size]] of Object.entries(files).entries()) {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, Buffer.alloc(size));
    utimesSync(path, at, at);
  }
  return folder;
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted((a, b) => (a < b ? -1 : 1));

describe('the folder of compiled code', () => {
  it('is left alone while it is small', async () => {
    const folder = folderWith({ 'v24/a': 50, 'v26/b': 50 });
    await boundCompiled(folder, 100);
    expect(filesIn(folder)).toEqual(['v24', 'v24/a', 'v26', 'v26/b']);
  });

  it('loses what was written first, and folders that are empty then', async () => {
    const folder = folderWith({ 'v24/a': 50, 'v26/b': 30, 'v26/c': 30, 'v26/d': 10 });
    await boundCompiled(folder, 100);
    expect(filesIn(folder)).toEqual(['v26', 'v26/c', 'v26/d']);
  });

  it('may be gone', async () => {
    await expect(boundCompiled(join(folderWith({}), 'nowhere'))).resolves.toBeUndefined();
  });
});
