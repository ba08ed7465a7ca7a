import { readFileSync, writeFileSync } from 'node:fs';
import { toggle } from '../config/flag.ts';
import type { Flag, Given } from '../config/flag.ts';
import { ConfigError } from '../config/read.ts';
import { httpUrl, integer, some } from '../config/values.ts';
import { areas } from '../conformance/run.ts';
import type { Area } from '../conformance/run.ts';
import type { Report } from '../conformance/report/report.ts';
import { didYouMean } from '../fhir/suggest.ts';
import { defineCommand, exitCodes, onePositional } from './command.ts';
import { interruptible } from './interruption.ts';
import { readPrivateKey, signAssertion } from './private-key.ts';
import { createProgress } from './progress.ts';

const flags = [
  { flag: 'types', value: 'A,B', read: list, meaning: 'Only these resource types, separated by commas' },
  { flag: 'areas', value: 'A,B', read: areasOf, meaning: `Only these areas: ${areas.join(', ')}` },
  {
    flag: 'sample',
    value: 'NUMBER',
    read: integer(1, 1000),
    default: '50',
    meaning: 'Most records of each type in the sample',
  },
  {
    flag: 'depth',
    value: 'NUMBER',
    read: integer(1, 20),
    default: '2',
    meaning: 'Values of each parameter that are searched for',
  },
  { flag: 'rate', value: 'NUMBER', read: integer(1, 10_000), default: '10', meaning: 'Most requests in a second' },
  { flag: 'token-file', value: 'FILE', read: some, meaning: 'File with the access token; else FHIR_TOKEN has it' },
  { flag: 'client', value: 'ID', read: some, meaning: 'Get tokens as this client by SMART Backend Services' },
  { flag: 'key', value: 'FILE', read: some, meaning: 'File with its private key: RSA, or EC on P-384' },
  { flag: 'kid', value: 'ID', read: some, meaning: 'Id of the key, if the file has none' },
  { flag: 'scope', value: 'SCOPES', read: some, default: 'system/*.rs', meaning: 'The scopes of its tokens' },
  toggle('write', 'Create, change and delete records too, but only own ones, which are removed'),
  { flag: 'json', value: 'FILE', read: some, meaning: 'Write the report as JSON' },
  { flag: 'test-report', value: 'FILE', read: some, meaning: 'Write the report as a FHIR TestReport' },
  { flag: 'html', value: 'FILE', read: some, meaning: 'Write the report as a page with every failure' },
] as const satisfies readonly Flag[];

/** Tests a FHIR server by its own CapabilityStatement, without a store. */
export const command = defineCommand({
  positionals: 'URL',
  details: `URL is the base URL of a FHIR R4 server. A sample of its records is read by its own search; searches for
their values are derived for every declared type and parameter, and the answers compared with what R4 says.
Without --write nothing is changed. Exit code 3 if a check fails. Results that the standard leaves open are
counted, and are no failure. Tokens come from a file or a variable, never from the command line. The reports
in files contain records of the server; only this user can read them.

  npm run cli -- conformance https://hapi.fhir.org/baseR4 --types TYPE,TYPE --html report.html`,
  takes: ['debug'],
  own: flags,
  async run({ own, positionals }) {
    const base = onePositional(positionals, 'URL', httpUrl);
    const token = await tokenOf(base, own);
    const [{ createClient }, { runConformance }, { consoleReport }] = await Promise.all([
      import('../conformance/client.ts'),
      import('../conformance/run.ts'),
      import('../conformance/report/console.ts'),
    ]);
    let requests = 0;
    const client = createClient({ base, rate: own.rate, token: token ?? noToken, answered: () => (requests += 1) });
    const progress = createProgress('steps', process.stderr, Date.now);
    const started = Date.now();
    const tested = await interruptible(
      () => 'Stopped: there is no report.',
      async ({ signal, check }) => {
        const found = await runConformance({
          client,
          types: own.types,
          areas: new Set(own.areas ?? areas),
          sample: own.sample,
          depth: own.depth,
          write: own.write === true,
          progress: (step, done, of) => progress.update(done, of, step),
          signal,
        });
        check();
        return found;
      },
    );
    progress.end();
    const milliseconds = Date.now() - started;
    const report = { ...tested, base, started, milliseconds, requests, hasToken: token !== undefined };
    await writeReports(report, own);
    for (const line of consoleReport(report)) console.log(line);
    return report.findings.count('fail') > 0 ? exitCodes.found : exitCodes.done;
  },
});

type Own = Given<typeof flags>;

const noToken = (): Promise<undefined> => Promise.resolve(undefined);

/** Undefined for requests without a token. */
async function tokenOf(base: string, own: Own): Promise<(() => Promise<string>) | undefined> {
  const { client, key: path } = own;
  if ((client === undefined) !== (path === undefined))
    throw new ConfigError(['`--client` and `--key` belong together.']);
  if (client !== undefined && path !== undefined) {
    if (own['token-file'] !== undefined) throw new ConfigError(['`--client` and `--token-file` exclude each other.']);
    const { backendTokens } = await import('../conformance/backend-token.ts');
    const { key, kid } = readPrivateKey(path);
    const named = own.kid ?? kid;
    if (named === undefined) throw new ConfigError(['`--kid` is missing: the file has no id of the key.']);
    const assertion = (audience: string): string => signAssertion(client, audience, key, named);
    return backendTokens({ base, scope: own.scope, assertion });
  }
  const file = own['token-file'];
  const text = (file === undefined ? process.env['FHIR_TOKEN'] : readFileSync(file, 'utf8'))?.trim();
  if (text === undefined || text === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(text)) throw new ConfigError(['The access token has characters that no token has.']);
  return () => Promise.resolve(text);
}

/** They contain records, so that only this user can read them. */
async function writeReports(report: Report, own: Own): Promise<void> {
  const write = (file: string, text: string): void => writeFileSync(file, text, { mode: 0o600 });
  if (own.json !== undefined) {
    const { jsonReport } = await import('../conformance/report/json.ts');
    write(own.json, `${JSON.stringify(jsonReport(report), null, 2)}\n`);
  }
  if (own['test-report'] !== undefined) {
    const { testReport } = await import('../conformance/report/test-report.ts');
    write(own['test-report'], `${JSON.stringify(testReport(report), null, 2)}\n`);
  }
  if (own.html !== undefined) {
    const { htmlReport } = await import('../conformance/report/html.ts');
    write(own.html, htmlReport(report));
  }
}

function list(text: string): readonly string[] {
  return some(text).split(',');
}

function areasOf(text: string): readonly Area[] {
  return list(text).map(name => {
    const area = areas.find(one => one === name);
    if (area !== undefined) return area;
    throw new Error(`has \`${name}\`, but must be some of ${areas.join(', ')}.${didYouMean(name, areas)}`);
  });
}
