import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { definitionOf } from '../../src/definitions/definition.ts';
import type { Definition } from '../../src/definitions/definition.ts';
import { indexDefinitions } from '../../src/definitions/definitions.ts';
import type { JsonObject } from '../../src/fhir/json-object.ts';
import { packFile, readPack } from '../../src/definitions/pack.ts';
import { digestsOf } from '../../src/definitions/digests.ts';
import { loadModel } from '../../src/engine/definitions/load-model.ts';
import type { LoadedModel } from '../../src/engine/definitions/load-model.ts';
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

describe('a package of many examples', () => {
  it('is kept although nothing in it is a definition, so that it is unpacked once', async () => {
    const data = randomBytes(1_200_000).toString('base64');
    const { load, files, file } = place(
      fhirPackage(
        { name: 'examples', version: '1', type: 'fhir.examples' },
        { 'Binary-a.json': { resourceType: 'Binary', contentType: 'a/b', data }, 'p.json': profile('p', 'Patient') },
      ),
    );
    const first = said(await load());
    expect(files()).toBe(1);
    expect(statSync(file()).size).toBeLessThan(1_000);
    expect(said(await load())).toEqual(first);
  });
});

describe('the digests of what is kept', () => {
  /** One that cannot be parsed, as it need not be. */
  const unread = (resource: JsonObject, file: string): Definition => ({
    ...definitionOf(resource, { file, path: '', package: file }, () => {
      throw new Error(`${file} was parsed`);
    }),
    digests: digestsOf(resource),
  });
  const resource = profile('p', 'Patient', { version: '1' });

  it('are equal for equal definitions, which are not parsed', () => {
    const copies = [unread(resource, 'a.tgz'), unread({ ...resource, id: 'p' }, 'b.tgz')];
    expect(indexDefinitions(copies)).toMatchObject({ problems: [], notices: [] });
  });

  it('differ for different definitions', () => {
    const others = [unread(resource, 'a.tgz'), unread({ ...resource, name: 'Other' }, 'b.tgz')];
    expect(indexDefinitions(others).problems.map(({ file }) => file)).toEqual(['b.tgz']);
  });

  it('are equal for a definition and its reduced form in the R4 pack', () => {
    const pack = readPack(join(import.meta.dirname, '../../profiles', packFile), packFile);
    const core = pack.definitions.find(({ url: of }) => of === 'http://hl7.org/fhir/StructureDefinition/bp');
    const fuller = { ...core?.resource(), title: 'Blood pressure', publisher: 'HL7' };
    const given = core === undefined ? [] : [core];
    expect(indexDefinitions([...given, unread(fuller, 'a.tgz')])).toMatchObject({ problems: [], notices: [] });
    expect(indexDefinitions([...given, unread({ ...fuller, name: 'Other' }, 'a.tgz')]).notices).toHaveLength(1);
  });
});

describe.runIf(process.env['CRS_TEST_PACKAGES'] !== undefined && canMakeLargePackage)(
  'all that R4 publishes in one package (190 MB; with CRS_TEST_PACKAGES)',
  () => {
    it('takes less than 1.5 s of processor time from the second start on', async () => {
      const examples = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r4.examples/package.json'));
      const names = readdirSync(examples).filter(name => /^[A-Z].*\.json$/.test(name));
      const files = Object.fromEntries(
        names.map(name => [name, JSON.parse(readFileSync(join(examples, name), 'utf8')) as unknown]),
      );
      const { load } = place(fhirPackage({ name: 'all', version: '1', fhirVersions: ['4.0.1'] }, files));
      const first = said(await load());
      let second;
      const time = await cpuTime(async () => {
        second = said(await load());
      });
      expect(second).toEqual(first);
      expect(time).toBeLessThan(1_500);
    }, 120_000);
  },
);
