import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadModel } from '../../src/load-model.ts';
import type { LoadedModel } from '../../src/load-model.ts';
import { fhirPackage, folderWith, profile } from '../support/definition-files.ts';
import { canMakeLargePackage, largePackage } from '../support/large-package.ts';
import { cpuTime } from '../support/cpu-time.ts';

const url = 'https://large.example.org/fhir/StructureDefinition/Account';

function place(bytes: Buffer) {
  const folder = folderWith({ 'profiles/large.tgz': bytes });
  const cache = join(mkdtempSync(join(tmpdir(), 'package-cache-')), 'cache');
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  return {
    folder,
    file: (): string => join(cache, readdirSync(cache)[0] ?? 'none'),
    files: (): number => readdirSync(cache).length,
    load: (definitions: readonly string[] = [folder]): Promise<LoadedModel> =>
      loadModel({ definitions, cache: [cache] }),
  };
}

const said = ({ problems, warnings, notices, model }: LoadedModel) => ({
  problems,
  warnings,
  notices,
  digest: model?.digest,
  account: model?.snapshot(url),
});

describe.runIf(canMakeLargePackage)('a package of the size of US Core', () => {
  it('says the same from the cache, for its owner only, and is unpacked again where that is damaged', async () => {
    const { load, file, files } = place(largePackage());
    const first = said(await load());
    expect(first.problems).toEqual([]);
    expect(first.account?.elements.length).toBeGreaterThan(20);
    expect([files(), statSync(file()).mode & 0o777]).toEqual([1, 0o600]);
    const written = readFileSync(file());
    expect(said(await load())).toEqual(first);
    writeFileSync(file(), written.toString('latin1').replace('"Account"', '"Acc0unt"'), 'latin1');
    expect(said(await load())).toEqual(first);
    expect(readFileSync(file()).equals(written)).toBe(true);
  });

  it('is unpacked again when it changes', async () => {
    const { folder, load, files } = place(largePackage());
    await load();
    writeFileSync(
      join(folder, 'profiles/large.tgz'),
      fhirPackage({ name: 'small', version: '1' }, { 'p.json': profile('p', 'Patient') }),
    );
    const { model } = await load();
    expect(model?.snapshot(url)).toBeUndefined();
    expect(model?.snapshot('https://example.org/StructureDefinition/p')?.type).toBe('Patient');
    expect(files()).toBe(1); // a small one is not worth a file
  });

  it('adds less than a second to a warm start', async () => {
    const { load } = place(largePackage());
    await load();
    const time = (definitions?: readonly string[]): Promise<number> => cpuTime(() => load(definitions));
    const [without, warm] = [[], []] as [number[], number[]];
    for (let round = 0; round < 3; round++) {
      without.push(await time([]));
      warm.push(await time());
    }
    expect(Math.min(...warm) - Math.min(...without)).toBeLessThan(1000);
  });
});
