import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { distil } from '../../src/definitions/distil.ts';
import { indexFile, originFile, packFile, readPack } from '../../src/definitions/pack.ts';
import { printIndex, readIndex, scanPack } from '../../src/definitions/pack-index.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = join(root, 'node_modules/hl7.fhir.r4.examples');
/** A folder with the first line of a pack. */
function folderOf(pack: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pack-'));
  writeFileSync(join(folder, packFile), pack.slice(0, pack.indexOf('\n') + 1));
  return folder;
}

const committed = (file: string): string => readFileSync(join(root, 'profiles', file), 'utf8');

describe('the R4 pack', () => {
  it.runIf(existsSync(source))('is what distil makes of the official package, byte for byte', async () => {
    const { pack, index, origin } = await distil(source);
    expect(pack === committed(packFile)).toBe(true);
    expect(index === committed(indexFile)).toBe(true);
    expect(JSON.parse(committed(originFile))).toEqual(origin);
  });

  it('holds every type, profile, extension, parameter, compartment and operation of R4', () => {
    const { definitions, digest } = readPack(join(root, 'profiles', packFile), packFile);
    const counts = Map.groupBy(definitions, ({ resourceType }) => resourceType);
    expect(Object.fromEntries([...counts].map(([type, list]) => [type, list.length]))).toEqual({
      CodeSystem: 1062,
      CompartmentDefinition: 5,
      OperationDefinition: 46,
      SearchParameter: 1375,
      StructureDefinition: 650,
      ValueSet: 343,
    });
    expect(definitions.filter(({ concrete }) => concrete !== undefined)).toHaveLength(146);
    expect(digest).toBe(JSON.parse(committed(originFile)).sha256);
  });

  it('indexes each line by what the resource says', () => {
    const { definitions } = readPack(join(root, 'profiles', packFile), packFile);
    for (const definition of definitions) {
      const { resourceType, url, version, concrete } = definition;
      const json = definition.resource();
      expect([resourceType, url, version]).toEqual([json['resourceType'], json['url'], json['version']]);
      const makesType =
        json['kind'] === 'resource' && json['abstract'] === false && json['derivation'] === 'specialization';
      expect(concrete).toBe(makesType ? json['type'] : undefined);
      const { code, base: bases } = json;
      expect(definition.parameter).toEqual(resourceType === 'SearchParameter' ? { code, bases } : undefined);
    }
  });

  it('has an index that says what its lines say', () => {
    const bytes = readFileSync(join(root, 'profiles', packFile));
    const scanned = scanPack(bytes, packFile);
    const { sha256 } = JSON.parse(committed(originFile));
    expect(committed(indexFile) === printIndex(sha256, scanned)).toBe(true);
    expect(readIndex(committed(indexFile), sha256)).toEqual(scanned);
  });

  it('is read without its index where that is of another pack', () => {
    const file = join(folderOf(committed(packFile)), packFile);
    expect(readPack(file, 'x').definitions).toHaveLength(1);
    writeFileSync(file.replace('.ndjson', '.index'), committed(indexFile));
    expect(readPack(file, 'x').definitions.map(({ url }) => url)).toEqual([
      JSON.parse(committed(packFile).split('\n', 1)[0] ?? '').url,
    ]);
  });

  it('reports how to repair a file that is not a pack', () => {
    const file = fileURLToPath(import.meta.url);
    expect(() => readPack(file, 'x')).toThrow(
      'x line 1 is not a line of the R4 pack; make it again with `npm run distil`',
    );
  });
});
