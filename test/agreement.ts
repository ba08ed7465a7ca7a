// npm run agreement -- --runs N: random searches beside their meaning in memory, in rounds of different random numbers.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const help = `npm run agreement -- [FLAGS]

Compares random searches on random data with the reference evaluator (src/search/matches.ts), in rounds. A failure is
printed with its shortest example and with the flags that repeat it.

  --runs N           Searches in all (default 20,000)
  --seed N           The seed of the first round (default: random); each round adds 1
  --store mongodb    On MongoDB's engine, or on the server that CRS_TEST_MONGODB names; default: SQLite
  --help             This text`;

/** Suites with this many searches for each of CRS_TEST_SEARCHES: one for each type, plan and layout. */
const suites = {
  sqlite: {
    command: ['node_modules/vitest/vitest.mjs', 'run', '--project=!browser'],
    files: ['search/agreement', 'store/agreement', 'interaction/search-joins', 'interaction/search-hierarchy'],
    searchesEach: 18,
  },
  mongodb: {
    command: ['test/support/mongodb/run.ts'],
    files: ['store/mongo/agreement', 'interaction/search-joins', 'interaction/search-hierarchy'],
    searchesEach: 10,
  },
} as const;

/** Searches of a suite in one round. */
const perRound = 250;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    help: { type: 'boolean', default: false },
  },
});
const runs = wholeNumber('runs', values.runs);
const first = values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed', values.seed);
const { store } = values;
if (values.help) console.log(help);
else if (store !== 'sqlite' && store !== 'mongodb') end(`\`--store ${store}\` is not \`sqlite\` or \`mongodb\`.`);
else process.exitCode = (await agree(store)) ? 0 : 1;

/** Runs rounds until one fails; true if all agree. */
async function agree(on: keyof typeof suites): Promise<boolean> {
  const { command, files, searchesEach } = suites[on];
  for (let done = 0, seed = first; done < runs; seed += 1) {
    const each = Math.min(perRound, Math.ceil((runs - done) / searchesEach));
    const child = spawn(process.execPath, [...command, ...files.map(file => `test/${file}.test.ts`)], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CRS_TEST_SEARCHES: String(each), CRS_TEST_SEED: String(seed), NO_COLOR: '1' },
    });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => said.push(text.toString()));
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) {
      const flags = `--runs ${each * searchesEach} --seed ${seed}${on === 'sqlite' ? '' : ` --store ${on}`}`;
      console.error(`${said.join('')}\nRepeat this round with \`npm run agreement -- ${flags}\`.`);
      return false;
    }
    done += each * searchesEach;
    console.log(`${done.toLocaleString('en')} of ${runs.toLocaleString('en')} searches agree (seed ${seed})`);
  }
  return true;
}

function wholeNumber(name: string, text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : end(`\`--${name} ${text}\` is not a whole number.`);
}

function end(problem: string): never {
  console.error(`${problem}\n\n${help}`);
  process.exit(2);
}
