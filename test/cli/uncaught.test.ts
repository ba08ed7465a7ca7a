// Nothing ends a server but a signal and an error that nothing has caught; that ends it in order. Errors are provoked
// by a script that Node loads before the program.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { beginSearch, untilClosing } from './begun-request.ts';
import { launch, run } from './process.ts';
import type { Launched } from './process.ts';

let folder: string;
let store: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'uncaught-'));
  store = `sqlite:${join(folder, 'records.sqlite')}`;
  await run(['partition', 'add', 'clinic', '--store', store]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a server that runs the script when it gets SIGUSR2, or what `when` says. */
function serve(script: string, flags: readonly string[] = [], when = `process.on('SIGUSR2', () => setImmediate(run))`) {
  const code = `function run() { ${script} }\n${when}`;
  const execArgv = ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
  return launch(['serve', '--port', '0', '--access', 'open', '--store', store, ...flags], { execArgv });
}

const portOf = async (server: Launched): Promise<number> =>
  Number((await server.until(/Serves http:\/\/127\.0\.0\.1:(\d+)/))[1]);

const isServed = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

const fatal = (server: Launched): { readonly text: string; readonly error: string }[] =>
  server
    .stderr()
    .split('\n')
    .filter(line => line.includes('"fatal"'))
    .map(line => JSON.parse(line));

describe.skipIf(process.platform === 'win32')('an error that nothing has caught (Windows has no SIGUSR2)', () => {
  it('is logged with its cause, and ends the server when what runs is done', async () => {
    const server = serve(`throw new Error('a mistake', { cause: new Error('its cause') })`);
    const port = await portOf(server);
    const running = await beginSearch(port);
    server.process.kill('SIGUSR2');
    await untilClosing(port);
    running.finish();
    await running.closed;
    expect(running.received()).toMatch(/HTTP\/1\.1 200 OK/);
    expect(await server.ended).toBe(1);
    const [line, ...more] = fatal(server);
    expect(more).toEqual([]);
    expect(line?.text).toBe('The server shuts down after an uncaught error.');
    expect(line?.error).toMatch(/^Error: a mistake\n +at [^]*\nCaused by: Error: its cause\n +at /);
  });

  it.each([
    ['a promise that is not awaited', `Promise.reject(new TypeError('a mistake'))`, [], /^TypeError: a mistake\n/],
    [
      'the first of several',
      `void Promise.reject(new Error('number 2')); throw new Error('number 1')`,
      [],
      /^Error: number 1\n/,
    ],
    [
      'what may be a record',
      `Promise.reject({ family: 'Tremblay' })`,
      [],
      /^A value that is not an error was thrown \(object\); it is left out$/,
    ],
    ['also where nothing is logged', `throw new Error('a mistake')`, ['--log', 'off'], /^Error: a mistake\n/],
  ])('is %s', async (_what, script, flags, text) => {
    const server = serve(script, flags);
    await portOf(server);
    server.process.kill('SIGUSR2');
    expect(await server.ended).toBe(1);
    expect(fatal(server)).toEqual([{ ...fatal(server)[0], level: 'fatal', error: expect.stringMatching(text) }]);
    expect(server.stderr()).not.toContain('Tremblay');
  });

  it('ends a start at once', async () => {
    const when = `process.on('newListener', name => name === 'uncaughtException' && setImmediate(run))`;
    const server = serve(`throw new Error('too early')`, [], when);
    expect(await server.ended).toBe(1);
    expect(server.stdout()).not.toContain('Serves');
    expect(fatal(server)).toMatchObject([{ error: expect.stringMatching(/^Error: too early\n/) }]);
  });
});

describe('a server whose output is no longer read', () => {
  it('continues, and ends in order', async () => {
    const server = serve('');
    const port = await portOf(server);
    const { stdout, stderr } = server.process;
    for (const stream of [stdout, stderr]) stream?.destroy();
    for (let round = 0; round < 20; round++) expect(await isServed(port)).toBe(true); // each writes a line
    server.process.kill('SIGTERM');
    expect(await new Promise(resolve => server.process.once('exit', resolve))).toBe(0);
  });
});
