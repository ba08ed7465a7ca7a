import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holds, judge } from './budgets.ts';
import { requestCases } from './cases.ts';
import { createCases } from './create-cases.ts';
import { joinCases } from './join-cases.ts';
import { dataset } from './data/dataset.ts';
import type { Dataset } from './data/dataset.ts';
import { measureBeside } from './measure/beside.ts';
import { measureCreates } from './measure/creates.ts';
import { measureFirstCreate } from './measure/first-create.ts';
import { measureExport } from './measure/export.ts';
import { measureField } from './measure/field.ts';
import { measureGuard } from './measure/guard.ts';
import { measureJoins } from './measure/joins.ts';
import { measureLoad, measureWhileLoading } from './measure/loading.ts';
import { measureMongo, mongoBudgets } from './measure/mongo.ts';
import { measureProcesses } from './measure/processes.ts';
import { measureRequests } from './measure/requests.ts';
import { measureScale } from './measure/scale.ts';
import { measurePackage } from './measure/package.ts';
import { measurePages } from './measure/pages.ts';
import { measureStart } from './measure/start.ts';
import { isMet, measureTerminology } from './measure/terminology.ts';
import type { TerminologyRow } from './measure/terminology.ts';
import { measureTransactions } from './measure/transactions.ts';
import { untilCompiled, untilSettled } from './measure/warm-up.ts';
import { measureViews } from './measure/views.ts';
import { measureVersions } from './measure/versions.ts';
import { measureWords } from './measure/words.ts';
import { measureValidation } from './measure/validation.ts';
import { validationCases } from './validation-cases.ts';
import { historyCases, versionCases } from './version-cases.ts';
import { wordCases } from './word-cases.ts';
import { help, readOptions } from './options.ts';
import type { Options } from './options.ts';
import {
  besideTable,
  budgetsOf,
  budgetTable,
  fieldTable,
  figuresOf,
  guardTable,
  joinTable,
  otherTable,
  pageTable,
  processTable,
  requestTable,
  scaleTable,
  terminologyTable,
  validationTable,
} from './report.ts';
import type { Results } from './report.ts';

const standardSize = 100_000;
/** The aim: no query more than this many times dearer at ten times the data. */
const mostGrowth = 1.5;
const folder = fileURLToPath(new URL('../../bench-results/', import.meta.url));
const say = (text: string): void => console.error(text);

const options = optionsOrEnd();
if (options.help) console.log(help);
else if (options.beside !== undefined) await beside(options.beside, options);
else if (options.field) await field(options);
else if (options.guard) await guard('guard', options);
else if (options.audit) await guard('audit', options);
else if (options.processes !== undefined) await processes(options.processes, options);
else if (options.explorer) await guard('explorer', options);
else if (options.terminology) await terminology(options);
else if (options.export) await exports(options);
else if (options.views) await views(options);
else if (options.store !== undefined) await mongo(options.store, options);
else if (options.scale !== undefined) await scale(options.scale, options);
else await bench(options);

function optionsOrEnd(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
    return process.exit(2);
  }
}

async function bench({ quick, cases, check }: Options): Promise<void> {
  const isWanted = (name: string): boolean => cases.length === 0 || cases.some(text => name.includes(text));
  const wanted = requestCases.filter(({ name }) => isWanted(name));
  const creates = createCases.filter(({ name }) => isWanted(name));
  const joins = joinCases.filter(({ name }) => isWanted(name));
  const words = wordCases.filter(({ name }) => isWanted(name));
  const histories = historyCases.filter(({ name }) => isWanted(name));
  const validations = validationCases.filter(({ name }) => isWanted(name));
  const rounds = quick
    ? { rounds: 9, duration: 200, connections: [16] }
    : { rounds: 15, duration: 400, connections: [1, 16, 64] };
  const runs = { runs: quick ? 1 : 3 };
  let made: Promise<Dataset> | undefined;
  const data = (): Promise<Dataset> => (made ??= dataset(standardSize, say)); // not for those that need none
  const results: Results = {
    ...(wanted.length > 0 ? { requests: await measureRequests(wanted, await data(), rounds, say) } : {}),
    ...(creates.length > 0 ? { creates: await measureCreates(creates, await data(), rounds, say) } : {}),
    ...(joins.length > 0 ? { joins: await measureJoins(joins, await data(), rounds, say) } : {}),
    ...(words.length > 0 ? { words: await measureWords(words, await data(), rounds, say) } : {}),
    ...(versionCases.some(({ name }) => isWanted(name))
      ? { versions: await measureVersions(isWanted, histories, data, rounds, say) }
      : {}),
    ...(isWanted('load') ? { load: await measureLoad({ records: quick ? 20_000 : 60_000, ...runs }, say) } : {}),
    ...(isWanted('while loading')
      ? { whileLoading: await measureWhileLoading(await data(), { records: quick ? 20_000 : 60_000 }, say) }
      : {}),
    ...(validations.length > 0
      ? { validation: await measureValidation(validations, { rounds: quick ? 3 : 9, duration: 300 }, say) }
      : {}),
    ...(isWanted('package') ? { package: await measurePackage({ runs: quick ? 3 : 7 }, say) } : {}),
    ...(isWanted('pages') ? { pages: await measurePages({ requests: quick ? 9 : 31 }, say) } : {}),
    ...(isWanted('first create') ? { firstCreate: await measureFirstCreate(runs, say) } : {}),
    ...(isWanted('transaction')
      ? { transactions: await measureTransactions({ warmUp: 100, transactions: quick ? 100 : 300, turns: 5 }, say) }
      : {}),
    ...(isWanted('start') ? { start: await measureStart(await data(), runs, say) } : {}),
  };
  const rows = [...(results.requests?.rows ?? []), ...(results.creates ?? [])];
  if (rows.length > 0) console.log(`\n${requestTable(rows)}`);
  if (results.validation !== undefined) console.log(`\n${validationTable(results.validation)}`);
  if (results.joins !== undefined) console.log(`\n${joinTable(results.joins)}`);
  if (results.words !== undefined) console.log(`\n${joinTable(results.words)}`);
  if (results.versions !== undefined) console.log(`\n${joinTable(results.versions, 'create, or page 1')}`);
  if (results.pages !== undefined) console.log(`\n${pageTable(results.pages)}`);
  const other = otherTable(results);
  if (other !== '') console.log(`\n${other}`);
  const verdicts = judge(budgetsOf([...requestCases, ...createCases]), figuresOf(results));
  console.log(`\n${budgetTable(verdicts)}`);
  save('bench', { resources: standardSize, ...results, verdicts });
  if (check && !holds(verdicts)) process.exitCode = 1;
}

async function mongo(url: string, { quick, cases, check }: Options): Promise<void> {
  const wanted = requestCases.filter(({ name }) => cases.length === 0 || cases.some(text => name.includes(text)));
  const rounds = quick
    ? { rounds: 3, duration: 500, connections: [16], records: 10_000 }
    : { rounds: 5, duration: 1_000, connections: [1, 16, 64], records: standardSize };
  const results = await measureMongo(url, wanted, rounds, say);
  console.log(`\n${requestTable(results.requests.rows)}`);
  console.log(
    `\nload: ${Math.round(results.load.service)} records/s, bare insertMany: ` +
      `${Math.round(results.load.bare)} documents/s`,
  );
  const { budgets, figures } = mongoBudgets(wanted, results);
  const verdicts = judge(budgets, figures);
  console.log(`\n${budgetTable(verdicts)}`);
  save('mongodb', { ...results, verdicts });
  if (check && !holds(verdicts)) process.exitCode = 1;
}

async function beside(commit: string, { quick, cases }: Options): Promise<void> {
  const wanted = requestCases.filter(({ name }) => cases.length === 0 || cases.some(text => name.includes(text)));
  const data = await dataset(standardSize, say);
  const rounds = { rounds: quick ? 20 : 60, duration: 200 };
  const rows = await measureBeside(commit, wanted, data, rounds, say);
  console.log(`\n${besideTable(rows)}`);
  save('beside', { resources: data.resources, commit, beside: rows });
}

async function field({ quick, cases, server, serverPid, processes = 1 }: Options): Promise<void> {
  const token = process.env.CRS_BENCH_TOKEN;
  const measured =
    server === undefined ? { processes } : { url: server, pid: serverPid, ...(token === undefined ? {} : { token }) };
  const rows = await measureField(measured, { duration: quick ? 4_000 : 40_000, workloads: cases }, say);
  console.log(`\n${fieldTable(rows)}`);
  save('field', { server: server ?? 'clinical-records-service', processes, field: rows });
}

async function guard(what: 'guard' | 'audit' | 'explorer', { quick, check }: Options): Promise<void> {
  const data = await dataset(standardSize, say);
  const rows = await measureGuard(
    what,
    data,
    quick ? { rounds: 20, duration: 150 } : { rounds: 60, duration: 150 },
    say,
  );
  console.log(`\n${guardTable(rows)}`);
  save(what, { resources: data.resources, [what]: rows });
  if (check && rows.some(({ times, promised }) => times > promised)) process.exitCode = 1;
}

/** The budgets are those of 100,000 concepts. */
async function terminology({ quick, check }: Options): Promise<void> {
  const results: Record<string, readonly TerminologyRow[]> = {};
  for (const concepts of quick ? [100_000] : [100_000, 500_000]) {
    const rows = await measureTerminology(concepts, quick ? 10 : 30, say);
    results[String(concepts)] = rows;
    console.log(`\n${concepts.toLocaleString('en')} concepts\n${terminologyTable(rows)}`);
  }
  save('terminology', results);
  if (check && (results['100000'] ?? []).some(row => !isMet(row))) process.exitCode = 1;
}

async function views({ quick, check }: Options): Promise<void> {
  const data = await dataset(standardSize, say);
  const rows = await measureViews(data, { rounds: quick ? 3 : 7 }, say);
  console.log(`\n${terminologyTable(rows)}`);
  save('views', { resources: data.resources, views: rows });
  if (check && rows.some(row => !isMet(row))) process.exitCode = 1;
}

async function exports({ quick, check }: Options): Promise<void> {
  const data = await dataset(standardSize, say);
  const rows = await measureExport(data, { rounds: quick ? 3 : 11 }, say);
  console.log(`\n${terminologyTable(rows)}`);
  save('export', { resources: data.resources, export: rows });
  if (check && rows.some(row => !isMet(row))) process.exitCode = 1;
}

async function processes(count: number, { quick, check }: Options): Promise<void> {
  const data = await dataset(standardSize, say);
  const rounds = quick
    ? { rounds: 5, duration: 500, warming: untilCompiled }
    : { rounds: 11, duration: 1_000, warming: untilSettled };
  const results = await measureProcesses(count, data, rounds, say);
  const text = processTable(results);
  console.log(`\n${text}`);
  save('processes', { resources: data.resources, ...results });
  if (check && text.includes('missed')) process.exitCode = 1;
}

async function scale(resources: number, { quick, cases, check }: Options): Promise<void> {
  const isWanted = ({ name }: { name: string }): boolean =>
    cases.length === 0 || cases.some(text => name.includes(text));
  const [wanted, joins] = [requestCases.filter(isWanted), joinCases.filter(one => one.grows !== true && isWanted(one))];
  const [small, large] = [await dataset(standardSize, say), await dataset(resources, say)];
  const rows = await measureScale(
    wanted,
    joins,
    small,
    large,
    { rounds: quick ? 2 : 5, duration: quick ? 500 : 1_000 },
    say,
  );
  console.log(`\n${scaleTable(rows, small.resources, large.resources)}`);
  const dearer = rows.filter(({ what, growth }) => what.endsWith(': cost') && growth > mostGrowth);
  for (const { what } of dearer) console.log(`\nMore than ${mostGrowth} times dearer: ${what}`);
  save('scale', { small: small.resources, large: large.resources, scale: rows });
  if (check && dearer.length > 0) process.exitCode = 1;
}

function save(name: string, results: object): void {
  mkdirSync(folder, { recursive: true });
  const time = new Date().toISOString();
  const path = join(folder, `${name}-${time.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}.json`);
  const machine = {
    node: process.version,
    processors: availableParallelism(),
    model: cpus()[0]?.model,
    load: loadavg(),
  };
  writeFileSync(path, `${JSON.stringify({ time, machine, ...results }, undefined, 2)}\n`);
  console.log(`\nWritten to ${path}`);
}
