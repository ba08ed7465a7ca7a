import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { distil } from '../../src/definitions/distil.ts';
import { indexOf, originFile, packFile, readPack, terminologyFile } from '../../src/definitions/pack.ts';
import { printIndex, readIndex, scanPack } from '../../src/definitions/pack-index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'node_modules/hl7.fhir.r4.examples');
const files = [packFile, terminologyFile];
/** A folder with the first line of a pack. */
function folderOf(pack: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  writeFileSync(join(folder, packFile), pack.slice(0, pack.indexOf('\n') + 1));
  return folder;
}

const committed = (file: string): string => readFileSync(join(root, 'profiles', file), 'utf8');
const packs = files.map(file => readPack(join(root, 'profiles', file), file));
const definitions = packs.flatMap(pack => pack.definitions);

describe('the R4 packs', () => {
  it.runIf(existsSync(source))('are what distil makes of the official package, byte for byte', async () => {
    const { core, terminology, origin } = await distil(source);
    for (const [file, { pack, index }] of [
      [packFile, core],
      [terminologyFile, terminology],
    ] as const) {
      expect(pack === committed(file)).toBe(true);
      expect(index === committed(indexOf(file))).toBe(true);
    }
    expect(JSON.parse(committed(originFile))).toEqual(origin);
  });

  it('hold every type, profile, extension, parameter, compartment, operation and code of R4', () => {
    const counts = Map.groupBy(definitions, ({ resourceType }) => resourceType);
    expect(Object.fromEntries([...counts].map(([type, list]) => [type, list.length]))).toEqual({
      CodeSystem: 1062,
      CompartmentDefinition: 5,
      OperationDefinition: 46,
      SearchParameter: 1375,
      StructureDefinition: 650,
      ValueSet: 1316,
    });
    expect(definitions.filter(({ concrete }) => concrete !== undefined)).toHaveLength(146);
    const { sha256 } = JSON.parse(committed(originFile));
    expect(packs.map(({ digest }) => digest)).toEqual(files.map(file => sha256[file]));
  });

  it('have complete systems with their concepts, and at most ten megabytes', () => {
    const systems = definitions.filter(({ resourceType }) => resourceType === 'CodeSystem').map(one => one.resource());
    const complete = systems.filter(({ content }) => content === 'complete');
    expect(complete).toHaveLength(1054);
    expect(complete.filter(({ concept }) => concept === undefined).map(({ name }) => name)).toEqual([
      'MessageEvent', // R4 defines no events
      'v3.policyHolderRole',
    ]);
    expect(Buffer.byteLength(committed(packFile) + committed(terminologyFile))).toBeLessThan(10_000_000);
  });

  it('index each line by what the resource says', () => {
    for (const definition of definitions) {
      const { resourceType, url, version, concrete } = definition;
      const json = definition.resource();
      expect([resourceType, url, version]).toEqual([json['resourceType'], json['url'], json['version']]);
      const makesType =
        json['kind'] === 'resource' && json['abstract'] === false && json['derivation'] === 'specialization';
      expect(concrete).toBe(makesType ? json['type'] : undefined);
      const { code, base: bases } = json;
      expect(definition.parameter).toEqual(resourceType === 'SearchParameter' ? { code, bases } : undefined);
      expect(definition.caseSensitive).toBe(resourceType === 'CodeSystem' ? json['caseSensitive'] : undefined);
    }
  });

  it.each(files)('have an index that says what its lines say: %s', file => {
    const bytes = readFileSync(join(root, 'profiles', file));
    const { sha256 } = JSON.parse(committed(originFile));
    const scanned = { digest: sha256[file], entries: scanPack(bytes, file) };
    expect(committed(indexOf(file)) === printIndex(bytes.length, scanned)).toBe(true);
    expect(readIndex(committed(indexOf(file)), bytes.length)).toEqual(scanned);
  });

  it('are read without their index where that is of another pack', () => {
    const file = join(folderOf(committed(packFile)), packFile);
    expect(readPack(file, 'x').definitions).toHaveLength(1);
    writeFileSync(indexOf(file), committed(indexOf(packFile)));
    expect(readPack(file, 'x').definitions.map(({ url }) => url)).toEqual([
      JSON.parse(committed(packFile).split('\n', 1)[0] ?? '').url,
    ]);
  });

  it('say how to repair a pack that became shorter', () => {
    const file = join(folderOf(committed(packFile)), packFile);
    const [definition] = readPack(file, 'x').definitions;
    writeFileSync(file, '{');
    expect(() => definition!.resource()).toThrow('is shorter than its index says; make it again with `npm run distil`');
  });

  it('say how to repair a file that is not a pack', () => {
    const file = fileURLToPath(import.meta.url);
    expect(() => readPack(file, 'x')).toThrow(
      'x line 1 is not a line of the R4 pack; make it again with `npm run distil`',
    );
  });
});
