import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ports = ['store', 'records', 'blobs', 'documents', 'indexes', 'transfer', 'partitions'];

it('a store has at most 31 methods, as its README says', async () => {
  const methods: string[] = [];
  for (const port of ports) {
    const text = await readFile(new URL(`../../src/store/port/${port}.ts`, import.meta.url), 'utf8');
    for (const [, name = ''] of text.matchAll(/^ {2}(\w+)\(/gm)) methods.push(name);
  }
  // Both a partition and the store are exported and imported.
  methods.push('export', 'import');
  expect(methods).toEqual(expect.arrayContaining(['search', 'attachment', 'put', 'status', 'export', 'add', 'verify']));
  expect(methods.length).toBeLessThanOrEqual(31);
  const readme = await readFile(new URL('../../src/store/README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`${methods.length} methods`);
});
