import { toggle } from '../config/flag.ts';
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../config/read.ts';
import type { Config } from '../config/read.ts';
import { hasAuthorizationServer, startRefusals } from '../config/safe-start.ts';
import { fileProblems } from '../config/named-file.ts';
import { defaultStores, settings } from '../config/settings.ts';
import type { DemoFiles } from '../demo/files.ts';
import type { RunningEngine } from '../engine/engine.ts';
import { processArguments } from '../limits/exec-arguments.ts';
import { createLog } from '../observability/log.ts';
import type { Log } from '../observability/log.ts';
import type { ProcessParts } from '../processes/parent.ts';
import { createReloads } from '../engine/reloads.ts';
import { shellWord } from '../store/files/left-behind.ts';
import { hideCredentials } from '../store/url.ts';
import { CommandError, defineCommand, exitCodes } from './command.ts';
import { createProgress } from './progress.ts';
import { catchUncaught } from './uncaught.ts';
import { counted } from '../observability/counted.ts';

/** Serves until SIGINT or SIGTERM; with --demo, fills a new store with synthetic records first. */
export const command = defineCommand({
  details: `The base URL of a partition is {public-url}/r4/{partition}. SIGINT and SIGTERM let running requests finish
and close the store; a second one ends the process at once. With --processes, SIGUSR2 replaces the processes that
answer, one after the other. --demo adds records only to a store that is new (or has no partition), or that it created
itself; that store has clients and users too, whose passwords are printed, for this machine only.`,
  takes: settings.map(({ flag }) => flag).filter(flag => flag !== 'partition' && flag !== 'zone'),
  own: [toggle('demo', 'Fill a new store with synthetic records and print example requests')],
  async run({ config: given, own }) {
    const log = createLog(given.log, process.stderr, Date.now, given.logFormat);
    const reloads = createReloads();
    process.on('SIGHUP', () => void reloads.reload()); // until the end of the process, which SIGHUP must not cause
    const uncaught = catchUncaught(log, given.shutdownTimeout + beyond);
    // the reader of the first lines may close the pipe
    process.stdout.removeAllListeners('error').on('error', () => {});
    // JSON to the last line, for those who collect both streams
    const lines = given.logFormat === 'json' ? createLog('info', process.stdout, Date.now, 'json') : undefined;
    const isJson = lines !== undefined;
    const say = (text: string): void => (lines === undefined ? console.log(text) : lines.notice(text.trim()));
    const demo = own.demo === true;
    const refusals = [...startRefusals(given, demo), ...fileProblems(given)]; // before a demonstration is filled
    if (refusals.length > 0) throw new ConfigError(refusals);
    say(`Runs on Node ${process.version} (${process.execPath}).`);
    const isNew = await isNewStore(given);
    const isToFill = demo && (await import('../demo/fill.ts')).beginDemo(given.store);
    const files = demo && hasAuthorizationServer(given) ? await demoSecrets(given) : undefined;
    let config = files === undefined || given.keyFile !== undefined ? given : { ...given, keyFile: files.keyFile };
    if (isToFill) {
      config = await withPort(config);
      await fillDemo(config);
    }
    const running = await start(config, log, { demo, reloads });
    uncaught.started();
    const stopped = stopSignal();
    try {
      if (demo) await sayAtOnce(isJson, say, add => showDemo(running, config, files, add));
      else say(`Serves ${running.url}/r4/{partition}. Ctrl-C stops it.`);
      if (!demo) await sayWithoutPartition(running, config, isNew, say);
      flushCompileCache();
      await Promise.race([stopped, uncaught.occurred]);
    } finally {
      await running.close(patience);
    }
    return Promise.race([uncaught.occurred, Promise.resolve(exitCodes.done)]);
  },
});

/**
 * Whether a start creates the store. Throws CommandError if it would and `require-store` forbids that; what is wrong
 * with the store otherwise is left to the start.
 */
async function isNewStore({ store, requireStore: isRequired }: Config): Promise<boolean> {
  const [{ requireStore }, { StoreRefused }] = await Promise.all([
    import('../store/open.ts'),
    import('../store/port/errors.ts'),
  ]);
  try {
    await requireStore(store);
    return false;
  } catch (error) {
    if (!(error instanceof StoreRefused)) return false;
    if (!isRequired) return true;
    throw new CommandError(
      `${error.message}, and \`require-store\` forbids to create one. Check the path and the volume; for a ` +
        `first start create the store: ${partitionAdd(store)}`,
    );
  }
}

/** Says that no partition can be served, and how to add one. */
async function sayWithoutPartition(
  { engine }: RunningEngine,
  { store }: Config,
  isNew: boolean,
  say: (text: string) => void,
): Promise<void> {
  // A store that cannot be read now is reported with the requests that meet it, and does not end the server.
  const partitions = await engine.store.partitions.list().catch(() => undefined);
  if (partitions === undefined || partitions.length > 0) return;
  const which = isNew ? 'is a new store' : 'is a store';
  say(`${hideCredentials(store)} ${which}, without partitions: no request for records can be answered yet.`);
  say(`Add a partition: ${partitionAdd(store)}`);
  if (isNew) say('If records should be there, the path is wrong: see `--store`, and `--require-store`.');
}

/** The command that adds a partition to a store; a URL with credentials comes from the environment. */
function partitionAdd(store: string): string {
  const flag = hideCredentials(store) === store ? ` --store ${shellWord(store)}` : '';
  return `npm run cli -- partition add NAME --zone ZONE${flag}`;
}

/** Starts the server, of one process or of several. The modules are loaded here, so that `--help` is fast. */
async function start(config: Config, log: Log, parts: ProcessParts): Promise<RunningEngine> {
  let restart = async (): Promise<void> => log.notice('SIGUSR2 restarts nothing: there are no processes to replace.');
  // Without a listener the signal ends the process; Windows has none.
  if (process.platform !== 'win32') process.on('SIGUSR2', () => void restart());
  if (config.processes === 1) return (await import('../engine/engine.ts')).startEngine(config, log, parts);
  const running = await (await import('../processes/parent.ts')).startProcesses(config, log, parts);
  restart = () => running.restart();
  return running;
}

/** How long a shutdown waits for the next request of an idle connection, in milliseconds: one may be on its way. */
const patience = 500;

/** Milliseconds for a shutdown beyond the time for running requests, after an error. */
const beyond = 5_000;

/** The key file of the demonstration, generated if there is none and none is configured, and that of its backend. */
async function demoSecrets({ keyFile, store }: Config): Promise<DemoFiles> {
  const { demoFiles, makeKeyFile } = await import('../demo/files.ts');
  const files = demoFiles(store);
  if (keyFile === undefined) makeKeyFile(files);
  return files;
}

/** Chooses a free port for port 0: the process that fills the store needs the public URL. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0 || config.publicUrl !== undefined) return config;
  const server = createServer().listen(0, config.host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? { ...config, port: address.port } : config;
}

/** Fills the store in another process, whose memory is freed at its end. */
async function fillDemo(config: Config): Promise<void> {
  const isShown = config.logFormat !== 'json'; // each line of the log is an object then
  const progress = isShown ? createProgress('patients', process.stderr, Date.now) : undefined;
  const { fork } = await import('node:child_process');
  const child = fork(fileURLToPath(new URL('./demo-fill.ts', import.meta.url)), { execArgv: processArguments });
  child.send(config); // not as an argument, which every user of the machine can read
  let asked = false; // by a signal, which a terminal sends to the child too
  const stop = (signal: NodeJS.Signals): void => {
    asked = true;
    child.kill(signal);
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  child.on('message', message => {
    const [filled, of] = message as [number, number]; // from demo-fill.ts
    progress?.update(filled, of);
  });
  const ended = Promise.withResolvers<string | undefined>();
  child.on('error', ended.reject);
  child.on('exit', (code, signal) => ended.resolve(code === 0 ? undefined : (signal ?? 'an error')));
  const reason = await ended.promise;
  process.off('SIGTERM', stop).off('SIGINT', stop);
  progress?.end();
  if (reason === undefined) return;
  const text = `The store was not filled: stopped by ${reason}. The next start continues.`;
  throw new CommandError(text, asked ? exitCodes.interrupted : exitCodes.failed);
}

/**
 * Says all that `work` adds when it is complete, in one piece, so that no line of the log is printed inside it; in JSON
 * each line is an object of its own.
 */
async function sayAtOnce(
  isJson: boolean,
  say: (text: string) => void,
  work: (add: (text: string) => void) => Promise<void>,
): Promise<void> {
  const texts: string[] = [];
  await work(text => void texts.push(text));
  for (const text of isJson ? texts : [texts.join('\n')]) say(text);
}

async function showDemo(
  { engine, url }: RunningEngine,
  config: Config,
  files: DemoFiles | undefined,
  say: (text: string) => void,
): Promise<void> {
  const { demoPartition, readDemoMark } = await import('../demo/fill.ts');
  const mark = await readDemoMark(engine.store);
  if (mark === undefined) {
    say(`Serves ${url}/r4/{partition}. Ctrl-C stops it.`);
    say(`The store ${hideCredentials(config.store)} was not made by --demo, so no records were added.`);
    return;
  }
  const { examples, writeExample } = await import('../demo/examples.ts');
  const base = `${url}/r4/${demoPartition}`;
  if (config.explorer === 'on') say(`Open the explorer in a browser: ${url}/\n`);
  say(`Serves ${base} with the synthetic records of ${counted(mark.patients, 'patient')}. Ctrl-C stops it.`);
  const asked = config.access === 'token';
  const secret = asked && hideCredentials(config.store) !== config.store;
  const where = secret ? ', with the URL of the store in CRS_STORE' : '';
  say(`Try, from a second terminal${where}:\n`);
  const flags = `--client demo-backend --partition ${demoPartition}${tokenFlags(config)}`;
  if (asked) say(`  TOKEN=$(npm run -s cli -- token ${flags})`);
  const header = asked ? '-H "Authorization: Bearer $TOKEN" ' : '';
  for (const path of examples(mark, engine.model.types)) say(`  curl ${header}'${base}/${path}'`);
  const write = writeExample(engine.model.types);
  if (write !== undefined) {
    const content = `-H 'Content-Type: application/fhir+json' -d '${write.body}'`;
    say(`  curl -X PUT ${header}${content} '${base}/${write.path}'`);
    say(`  curl -X DELETE ${header}'${base}/${write.path}'`);
  }
  if (files !== undefined) {
    const [{ registerDemo }, { demoBackend, demoUsers }] = await Promise.all([
      import('../demo/accounts.ts'),
      import('../demo/clients.ts'),
    ]);
    await registerDemo(engine, files, engine.now());
    const assertion = `$(npm run -s cli -- client assertion ${demoBackend}${tokenFlags(config)})`;
    const form = ['grant_type=client_credentials', "'scope=system/*.rs'", `client_assertion_type=${assertionType}`];
    say(`\nTo get a token as a backend service:\n`);
    say(`  curl ${form.map(field => `-d ${field}`).join(' ')} -d "client_assertion=${assertion}" ${url}/auth/token`);
    say(`\nThe launcher starts apps as an EHR does: ${url}/auth/launcher. Demo accounts (this machine only):`);
    for (const { id, password, name } of demoUsers) say(`${id} (${name}), with the password ${password}`);
  }
  if (config.logFormat !== 'json') say('');
}

/** https://www.rfc-editor.org/rfc/rfc7523#section-2.2 */
const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** The flags with which the command `token` uses the same store; the public URL of the server is in the store. */
function tokenFlags(config: Config): string {
  return settings
    .filter(({ flag }) => ['store', 'interface', 'definitions', 'capability'].includes(flag))
    .flatMap(({ flag, field, default: fallback }) =>
      [config[field] ?? []]
        .flat()
        .map(String)
        // hidden values come from the environment
        .filter(value => value !== (flag === 'store' ? defaultStores[config.interface] : fallback))
        .filter(value => hideCredentials(value) === value)
        .map(value => ` --${flag} ${shellWord(value)}`),
    )
    .join('');
}

/** Resolves at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise(resolve => {
    const stop = (): void => {
      resolve();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        process.removeListener(signal, stop);
        process.on(signal, () => process.exit(exitCodes.interrupted));
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}
