// npm run test:faults, test:processes, test:xml, test:overload, test:long: what `npm test` runs in a short form, or in
// another one, with all rounds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Step {
  readonly what: string;
  /** Variables that set how much is tried; each is explained in test/README.md. */
  readonly env: Readonly<Record<string, string>>;
  /** As vitest takes them. */
  readonly files: readonly string[];
  /** On MongoDB's engine, or on the server that CRS_TEST_MONGODB names. */
  readonly onMongodb?: true;
}

const faults: readonly Step[] = [
  {
    what: 'disks that fail, files that go away: each call, each file, each error',
    env: { CRS_TEST_FAULTS: 'all' },
    files: ['test/faults'],
  },
  {
    what: 'kill -9 of loads, creates, updates, transactions, upgrades and audit logs, 100 rounds each',
    env: { CRS_TEST_ROUNDS: '100' },
    files: [
      'test/store/sqlite/kill.test.ts',
      'test/store/sqlite-create.test.ts',
      'test/store/sqlite-upgrade.test.ts',
      'test/audit/kill.test.ts',
      'test/faults/transactions.test.ts',
      'test/faults/writers.test.ts',
    ],
  },
  {
    what: 'backups beside a server and another process that write at full speed, 20 rounds',
    env: { CRS_TEST_BACKUPS: '20' },
    files: ['test/cli/backup-beside.test.ts'],
  },
  {
    what: 'stores that are damaged at 24 random places, each found by `verify` with the records concerned',
    env: { CRS_TEST_DAMAGED: '24' },
    files: ['test/store/sqlite/damaged.test.ts'],
  },
  {
    what: 'MongoDB: stopped, killed, cut off, silent and slow; two and three servers; kill -9, 20 rounds each',
    env: { CRS_TEST_FAULTS: 'all', CRS_TEST_ROUNDS: '20' },
    files: [
      'test/mongo/breaks.test.ts',
      'test/mongo/two.test.ts',
      'test/mongo/several.test.ts',
      'test/store/mongo/kill.test.ts',
      'test/store/mongo-create.test.ts',
      'test/store/mongo-upgrade.test.ts',
      'test/audit/mongo-kill.test.ts',
      'test/faults/mongo-writers.test.ts',
    ],
    onMongodb: true,
  },
];

const severalProcesses: Step = {
  what: 'HTTP, access, audit and faults with servers of two processes',
  env: { CRS_TEST_PROCESSES: '2' },
  files: [
    'test/http',
    'test/auth',
    'test/smart',
    'test/audit',
    'test/faults',
    'test/cli/shutdown.test.ts',
    'test/cli/hangup.test.ts',
    'test/cli/definitions-live.test.ts',
    'test/cli/backup-beside.test.ts',
    'test/observability',
  ],
};

const inXml: Step = {
  what: 'HTTP in XML: the client of the tests sends and asks for it',
  env: { CRS_TEST_FORMAT: 'xml' },
  files: ['test/http', 'test/interaction'],
};

const overload: Step = {
  what: 'what costs a server most, on both interfaces with one and two processes, under a heap of 512 MB',
  env: { CRS_TEST_OVERLOAD: 'all' },
  files: ['test/overload'],
};

const rest: readonly Step[] = [
  severalProcesses,
  inXml,
  overload,
  {
    what: 'transactions, single writes and reads at the same time: 300 random schedules',
    env: { CRS_TEST_ROUNDS: '300' },
    files: ['test/http/transaction-races.test.ts'],
  },
  {
    what: 'MongoDB: attachments, by one process and as on a sharded cluster',
    env: { CRS_TEST_LONG: '1' },
    files: ['test/store/mongo-create.test.ts'],
    onMongodb: true,
  },
  {
    what: 'every official example of R4 as XML and back',
    env: { CRS_TEST_LONG: '1' },
    files: ['test/fhir/xml'],
  },
  {
    what: 'Bundles and pages of the explorer beside a hundred others; the bench with every case',
    env: { CRS_TEST_LONG: '1' },
    files: ['test/http/answer-limits.test.ts', 'test/bench/measures.test.ts'],
  },
  {
    what: 'every official example of R4 on an interface with all of R4',
    env: { CRS_TEST_LONG: '1' },
    files: ['test/conformance/generality.test.ts'],
  },
  {
    what: 'access: no question leaks, in 200 random worlds',
    env: { CRS_TEST_ROUNDS: '200' },
    files: ['test/auth/leak'],
  },
  {
    what: 'search: 2,000 random searches of each kind, beside their meaning in memory',
    env: { CRS_TEST_SEARCHES: '2000' },
    files: ['test/search/agreement.test.ts', 'test/store/agreement.test.ts'],
  },
  {
    what: 'FHIRPath: 50,000 generated rules and as many selections of search parameters, beside fhirpath.js',
    env: { CRS_TEST_EXPRESSIONS: '50000' },
    files: ['test/fhirpath/agreement.test.ts'],
  },
  {
    what: 'all that R4 publishes in one package, unpacked and then kept',
    env: { CRS_TEST_PACKAGES: '1' },
    files: ['test/definitions/package-cache.test.ts'],
  },
  {
    what: 'the plans of every parameter of R4 in every form',
    env: { CRS_TEST_PLANS: 'all' },
    files: ['test/store/sqlite/every-parameter.test.ts', 'test/store/plan/conditions.test.ts'],
  },
  {
    what: 'MongoDB: the plans of every parameter of R4; an hour or more',
    env: { CRS_TEST_PLANS: 'all' },
    files: ['test/store/mongo/plans.test.ts'],
    onMongodb: true,
  },
  {
    what: 'the served interface on 1,000 patients, each parameter against a plain scan',
    env: { CRS_TEST_PATIENTS: '1000' },
    files: ['test/conformance/walk.test.ts'],
  },
];

const chosen: Readonly<Record<string, readonly Step[]>> = {
  faults,
  processes: [severalProcesses],
  xml: [inXml],
  overload: [overload],
};
const steps = chosen[process.argv[2] ?? ''] ?? [...faults, ...rest];
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = 'node_modules/vitest/vitest.mjs';
let failed = 0;
for (const { what, env, files, onMongodb } of steps) {
  console.log(`\n== ${what}`);
  const command = onMongodb === true ? ['test/support/mongodb/run.ts'] : [vitest, 'run'];
  const child = spawn(process.execPath, [...command, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) failed += 1;
}
console.log(`\n${steps.length - failed} of ${steps.length} suites passed.`);
process.exitCode = failed === 0 ? 0 : 1;
