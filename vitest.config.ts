import { chmodSync, mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { temporaryFolder } from './test/support/temporary-folder.ts';

// Whatever needs a MongoDB server is in a folder `mongo`, or in a file that begins so.
const mongodb = ['test/**/mongo/**/*.test.ts', 'test/**/mongo*.test.ts'];
// Those that ask for a process of their own.
const mongodbApart = ['test/mongo/**/*.test.ts', 'test/{engine,smart}/**/mongo*.test.ts'];
// Whatever needs Chromium.
const inChromium = ['test/{smart/pages,explorer}/browser/*.test.ts', 'test/clients/{chromium,readme}.test.ts'];
// What other tests beside it would spoil: it comes last, one by one.
const alone = ['test/**/*.alone.test.ts'];
// What leaves nothing behind in its process: these files share one for each worker, and the modules that it has loaded.
// What asks for a process of its own (what happens at first use, listeners of the process, memory, deadlines) is not
// among them.
const together = [
  'test/{config,conformance,definitions,demo,fetch,fhir,fhirpath,indexing,interaction,model,search,terminology,validation}/**/*.test.ts',
  'test/{cache,config,engines,make-once,ninth-type,readme,reloads,token-buckets}.test.ts',
  'test/{explorer,openapi}/**/*.test.ts',
  'test/engine/offered-model.test.ts',
  'test/{bench,observability}/*.test.ts',
  'test/clients/!(fhirclient-node).test.ts',
  'test/{audit,bulk,cli,faults,store}/**/!(batch|checkpoint|deadline|failing|figures|memory).test.ts',
  'test/smart/pages/*.test.ts',
  'test/auth/{*,token/*}.test.ts',
  'test/smart/!(quiet|accounts-file|processes|two-processes).test.ts',
  'test/http/!(*limits|server|create-at-once.alone|create-retried|create-uploads).test.ts',
];
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
const main = {
  ...shared,
  name: 'main',
  include: ['test/**/*.test.ts'],
  exclude: [...mongodb, ...inChromium, ...alone, ...together],
  globalSetup: ['test/support/left-out.ts'],
};
const sharing = {
  ...shared,
  isolate: false,
  // Each collection of short-lived values costs as much as what survives it: fewer of them save a tenth of the time.
  execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=64'],
};
const inOneProcess = { ...sharing, name: 'together', include: together, exclude: [...mongodb, ...inChromium] };
const onItsOwn = { ...shared, name: 'alone', include: alone, sequence: { groupOrder: 1 }, fileParallelism: false };
const inBrowser = { ...shared, name: 'browser', include: inChromium };
const onMongodb = {
  ...shared,
  name: 'mongodb',
  include: mongodbApart,
  globalSetup: ['test/support/mongodb/deployment.ts'],
};
const onMongodbTogether = {
  ...sharing,
  name: 'mongodb-together',
  include: mongodb,
  exclude: mongodbApart,
  globalSetup: onMongodb.globalSetup,
};

/**
 * The interface as it is served, on a store in MongoDB: what depends on the store, and not on limits of one process.
 */
const httpOnMongodb = {
  ...shared,
  name: 'mongodb-http',
  include: ['test/http/create-retried.test.ts'],
  env: { ...shared.env, CRS_TEST_STORE: 'mongodb' },
};
const httpOnMongodbTogether = {
  ...sharing,
  name: 'mongodb-http-together',
  include: [
    'test/http/{conditional,conditional-chains,create,create-declared,create-refused,delete,delete-references,history,odd-queries,read}.test.ts',
    'test/http/{interleaving,patch,search,search-values,transaction-races,update}.test.ts',
    'test/interaction/{batch,search-contained,search-explain,search-filter,search-hierarchy,search-inside}.test.ts',
    'test/interaction/{search-intervals,search-joins,search-lists,search-near,search-versions}.test.ts',
    'test/interaction/{search-several,search-several-order,search-sort,search-words}.test.ts',
    'test/interaction/operation/{docref,everything,lastn,meta}.test.ts',
    'test/interaction/transaction*.test.ts',
    'test/clients/{fhir-kit-client,medplum}.test.ts',
    'test/conformance/tester.test.ts',
  ],
  env: httpOnMongodb.env,
};

/** Writes, access and audit of a server of two processes; `test:processes` runs the rest. */
const ofTwoProcesses = {
  ...shared,
  name: 'two-processes',
  include: [
    'test/http/{create,conditional,transaction-races}.test.ts',
    'test/audit/failing.test.ts',
    'test/auth/guard.test.ts',
  ],
  env: { ...shared.env, CRS_TEST_PROCESSES: '2' },
};

/** What takes longest comes first, so that no worker is left with it in the end; vitest goes by the length of files. */
const long = [
  'mongo/breaks|mongo/refused|mongo/(plans|attachments|indexes)|mongo',
  'production-install|readme-commands|leak|agreement|walk|kill|migrate|upgrade|redefine|public-url|accounts|launch',
  'killed-reload|definitions-live|live-definitions|interface-r4|conformance/tester|hostile|faults/writing',
  'cli/(store|serve|token|deploy|hangup|backup-beside)|create|create-uploads|search-(contained|hierarchy|lists)',
];
const longest = new RegExp(`(${long.join('|')})\\.test\\.ts$`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId);
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
      { test: inOneProcess },
      { test: onItsOwn },
      ...(process.env['CRS_TEST_PROCESSES'] === undefined ? [{ test: ofTwoProcesses }] : []),
      { test: inBrowser },
      ...(named ? [onMongodb, onMongodbTogether, httpOnMongodb, httpOnMongodbTogether].map(test => ({ test })) : []),
    ],
  },
});
