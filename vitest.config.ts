import { chmodSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, normalize, sep } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { temporaryFolder } from './test/support/temporary-folder.ts';

// Whatever needs a MongoDB server is in a folder `mongo`, or in a file that begins so.
const mongodb = ['test/**/mongo/**/*.test.ts', 'test/**/mongo*.test.ts'];
// Whatever needs Chromium.
const inChromium = ['test/{smart/pages,explorer}/browser/*.test.ts', 'test/clients/{chromium,readme}.test.ts'];
// What other tests beside it would spoil: it comes last, one by one.
const alone = ['test/**/*.alone.test.ts'];

/** What changes a process for the files that come after it there, or measures the memory of the process. */
const needsOwnProcess = [
  /\bprocess\.(?:chdir|emit|memoryUsage)\(/,
  /\bprocess\.env\[[^\]]+\] = /,
  /\bvi\.(?:mock|doMock|stub\w+)\(/,
  /\bspyOn\((?:console|process)\b/,
];
/** What takes long: it starts processes, or tries much at random. */
const takesLong = [
  /\b(?:spawn|fork|launch|serveSeveral|startProcesses)\(/,
  /\b(?:leakProperty|agreement|CRS_TEST_LONG)\b/,
];

const testFiles = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => `test/${name.replaceAll(sep, '/')}`);
const filesWith = (patterns: readonly RegExp[]): string[] =>
  testFiles.filter(path => {
    const text = readFileSync(join(import.meta.dirname, path), 'utf8');
    return patterns.some(pattern => pattern.test(text));
  });
// All others share one process for each worker, and the modules that it has loaded.
const apart = filesWith(needsOwnProcess);
const server = process.env['CRS_TEST_MONGODB'];
const named = server !== undefined && server !== '';

// Compiled modules for the processes that tests start. A server does not use a folder that others may read, and would
// compile ahead at each start.
const compiled = join(import.meta.dirname, '.cache/compiled');
mkdirSync(compiled, { recursive: true });
chmodSync(compiled, 0o700);

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
  pool: 'forks' as const,
  env: { NODE_COMPILE_CACHE: compiled, TMPDIR: temporaryFolder() },
};
const sharing = {
  ...shared,
  isolate: false,
  // Each collection of short-lived values costs as much as what survives it: fewer of them save a tenth of the time.
  execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
};
const elsewhere = [...mongodb, ...inChromium, ...alone];
const main = {
  ...sharing,
  name: 'main',
  include: ['test/**/*.test.ts'],
  exclude: [...elsewhere, ...apart],
  globalSetup: ['test/support/left-out.ts'],
};
const inOwnProcess = { ...shared, name: 'apart', include: apart, exclude: elsewhere };
const onItsOwn = { ...shared, name: 'alone', include: alone, sequence: { groupOrder: 1 }, fileParallelism: false };
const inBrowser = { ...shared, name: 'browser', include: inChromium };
const onMongodb = {
  ...sharing,
  name: 'mongodb',
  include: mongodb,
  exclude: apart,
  globalSetup: ['test/support/mongodb/deployment.ts'],
};

/**
 * The interface as it is served, on a store in MongoDB: what depends on the store, and not on limits of one process.
 */
const httpOnMongodb = {
  ...sharing,
  name: 'mongodb-http',
  include: [
    'test/http/{conditional,conditional-chains,create,create-declared,create-refused,create-retried,delete,delete-references,history,odd-queries,read,stored-bounds,stored-definitions}.test.ts',
    'test/http/{interleaving,patch,search,search-values,transaction-races,update}.test.ts',
    'test/interaction/{batch,search-contained,search-explain,search-filter,search-hierarchy,search-inside}.test.ts',
    'test/interaction/{search-intervals,search-joins,search-lists,search-near,search-versions}.test.ts',
    'test/interaction/{search-several,search-several-order,search-sort,search-words}.test.ts',
    'test/interaction/operation/{docref,everything,large-systems,lastn,meta}.test.ts',
    'test/interaction/transaction*.test.ts',
    'test/bulk/export/{access,complaints}.test.ts',
    'test/bulk/tables/{sql-export,sql-run}.test.ts',
    'test/clients/{fhir-kit-client,medplum}.test.ts',
    'test/conformance/tester.test.ts',
  ],
  env: { ...shared.env, CRS_TEST_STORE: 'mongodb' },
};

/** Writes, access and audit of a server of two processes; `test:processes` runs the rest. */
const ofTwoProcesses = {
  ...sharing,
  name: 'two-processes',
  include: [
    'test/http/{create,conditional,transaction-races}.test.ts',
    'test/audit/failing.test.ts',
    'test/auth/guard.test.ts',
    'test/bulk/export/complaints.test.ts',
  ],
  env: { ...shared.env, CRS_TEST_PROCESSES: '2' },
};

/** What takes longest comes first, so that no worker is left with it in the end; vitest goes by the length of files. */
const long = new Set(filesWith(takesLong).map(path => join(import.meta.dirname, path)));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => long.has(normalize(moduleId));
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

export default defineConfig({
  // One worker for each processor, and one more: some tests wait. Of two processors, vitest would use one.
  test: {
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: main },
      { test: inOwnProcess },
      { test: onItsOwn },
      ...(process.env['CRS_TEST_PROCESSES'] === undefined ? [{ test: ofTwoProcesses }] : []),
      { test: inBrowser },
      ...(named ? [onMongodb, httpOnMongodb].map(test => ({ test })) : []),
    ],
  },
});
