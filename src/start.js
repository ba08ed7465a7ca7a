#!/usr/bin/env node
// Plain JavaScript that any Node since 16 can read: finds a Node that runs TypeScript, then starts src/cli/main.ts in
// it.
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import * as module from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

// A create waits for three flushes, each on one of libuv's threads, of which there are four by default: 64 connections
// made 571 creates a second instead of about 1,000. Read once, when the first thread starts.
process.env.UV_THREADPOOL_SIZE ??= '16';

// SIGHUP makes a server reload its files (cli/serve.ts listens for it later), and never ends it.
const isServer = process.argv[2] === 'serve';
if (isServer) process.on('SIGHUP', () => {});
const isPassedOn = process.env.STARTED_WITH_PINNED_NODE !== undefined && process.connected;
if (isServer && isPassedOn) process.disconnect?.(); // from now on runWith passes SIGHUP on

const root = fileURLToPath(new URL('..', import.meta.url));

const isStartedAgain = process.env.STARTED_WITH_PINNED_NODE !== undefined;
// Below node_modules Node runs no TypeScript without strip-types.js.
const isInstalled = /[\\/]node_modules[\\/]/.test(root);

if (newEnough(process.versions.node) && (isStartedAgain || !isInstalled)) {
  if (keepCompiledCode() === 0 && isServer) {
    const { spawnSync } = await import('node:child_process'); // a start without it does not wait for the import
    spawnSync(process.execPath, [join(root, 'src/cli/compile-ahead.ts')]);
  }
  await import('./own-modules.js');
  const { main } = await import('./cli/main.ts');
  process.exitCode = await main(process.argv.slice(2));
} else {
  const pinned = newEnough(process.versions.node) ? process.execPath : pinnedNode();
  if (pinned === undefined || isStartedAgain) {
    console.error(
      `Node ${oldestNode()} or later is required, but this is ${process.versions.node}. Run \`npm ci\` ` +
        `in ${root}, which installs the right one, or install a newer Node.`,
    );
    process.exitCode = 1;
  } else {
    await runWith(pinned);
  }
}

/** @param {string} version */
function newEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode().split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * The oldest Node that runs the sources, from .nvmrc. `engines` in package.json is for the Node that `npm ci` runs on.
 */
function oldestNode() {
  return '26';
}

/** The binary of the npm package for this platform, if it is installed. */
function pinnedNode() {
  const modules = isInstalled ? join(root, '..') : join(root, 'node_modules');
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]
    .map(name => join(modules, name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node'))
    .find(path => existsSync(path));
}

/**
 * Same arguments, same terminal; signals are forwarded, and the exit code is returned. A terminal sends Ctrl-C to both
 * processes, so it is not forwarded: a second one would end the process at once.
 * @param {string} node
 */
async function runWith(node) {
  const inTerminal = [0, 1, 2].some(isatty);
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null;
  /** @param {NodeJS.Signals} signal */
  const pass = signal => (child === null ? process.exit(128 + constants.signals[signal]) : child.kill(signal));
  process.on('SIGTERM', pass);
  process.on('SIGINT', signal => void (inTerminal || pass(signal)));
  process.on('SIGHUP', signal => {
    const starts = isServer && child?.connected !== false; // it is not up yet, and reads its files anyway
    if (!starts) pass(signal);
  });
  if (isServer && process.platform !== 'win32') process.on('SIGUSR2', pass); // restarts the processes of a server
  const { spawn } = await import('node:child_process');
  const hook = `--disable-warning=ExperimentalWarning --import=${new URL('strip-types.js', import.meta.url).href}`;
  const stripping = isInstalled ? hook : '';
  const options = [process.env.NODE_OPTIONS, stripping].filter(Boolean).join(' ');
  const env = { ...process.env, STARTED_WITH_PINNED_NODE: '1', ...(options === '' ? {} : { NODE_OPTIONS: options }) };
  child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: isServer ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env,
  });
  child.on('error', error => {
    console.error(`${node} does not start: ${error.message}`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}

/**
 * Cached compiled code is executed, so no other user may write it. Windows has no such bits.
 * @param {string} folder
 */
function isPrivate(folder) {
  const { uid, mode } = lstatSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

/**
 * Compiled modules are cached in .cache, or in the temporary folder if that cannot be written: a start is four times
 * faster. Returns the number of entries in the folder, -1 without one.
 */
function keepCompiledCode() {
  const folders = [
    join(root, '.cache', 'compiled'),
    join(tmpdir(), `clinical-records-${process.getuid?.() ?? 0}`, 'compiled'),
  ];
  for (const folder of folders) {
    let entries;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (!isPrivate(folder)) continue;
      entries = readdirSync(folder).length;
    } catch {
      continue;
    }
    const { status } = module.enableCompileCache(folder);
    const { ENABLED, ALREADY_ENABLED } = module.constants.compileCacheStatus;
    if (status !== ENABLED && status !== ALREADY_ENABLED) continue;
    process.env.NODE_COMPILE_CACHE ??= folder; // for workers and child processes
    // Only long-running processes limit its size, and not during their start.
    setTimeout(
      () => void import('./cli/bound-compiled.ts').then(bound => bound.boundCompiled(folder)).catch(() => {}),
      10_000,
    ).unref();
    return entries;
  }
  return -1;
}
