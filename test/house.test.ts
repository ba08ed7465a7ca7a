// The shape of the source: which folders import which.
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
  name.endsWith('.ts'),
);

/** The folders of `src` in the order of the README: each imports only those before it. */
function foldersInOrder(): readonly string[] {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const list = readme.slice(readme.indexOf('\nsrc/\n'), readme.indexOf('\ntest/'));
  return Array.from(list.matchAll(/^ {2}(\w+)\//gmu), ([, name]) => name!);
}

function importsOf(name: string): readonly string[] {
  const text = readFileSync(join(root, 'src', name), 'utf8');
  return Array.from(text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/gu), ([, path]) =>
    normalize(join(name, '..', path!)),
  );
}

/** Pairs of importer and imported, types included, that go against the order. Each is known with its reason. */
const upwards: ReadonlyMap<string, string> = new Map([
  ['http/app.ts smart/authorization.ts', 'the type of the paths under /auth, which the app mounts'],
  ['indexing/owners-in.ts store/port/partitions.ts', 'the type of the identity of a partition'],
  ['model/compile.ts terminology/expansions.ts', 'a model compiles the value sets of its definitions'],
  ['model/model.ts terminology/expansion.ts', 'the type of a compiled value set'],
  ['model/search-parameter.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['model/special.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['model/token-meaning.ts fhirpath/extract/expression.ts', 'the type of a compiled expression'],
  ['search/page-keys.ts store/port/documents.ts', 'the type of the collection that has the keys'],
]);

describe('the folders of src', () => {
  it('are all in the order of the README', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter(entry => entry.isDirectory());
    expect(Array.from(foldersInOrder()).sort()).toEqual(folders.map(folder => folder.name).sort());
  });

  it('import only folders before them, but for at most eight pairs of files', () => {
    const order = foldersInOrder();
    const rank = (name: string) => order.indexOf(name.split('/')[0]!);
    const found = files.flatMap(name =>
      importsOf(name)
        .filter(imported => imported.includes('/') && !imported.startsWith('..') && rank(imported) > rank(name))
        .map(imported => `${name} ${imported}`),
    );
    expect(Array.from(new Set(found)).sort()).toEqual([...upwards.keys()].sort());
    expect(upwards.size).toBeLessThanOrEqual(8);
  });
});
