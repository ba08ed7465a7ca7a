// Every command of every README, pasted into a shell, page by page. A block that cannot be run says why in a comment
// before it.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inOneProcess } from './cli/one-process.ts';
import { environment, launch, root } from './cli/process.ts';
import type { Launched } from './cli/process.ts';
import { selfSigned } from './support/certificate.ts';
import { freePort } from './support/free-port.ts';
import { blocksOf, readmes } from './support/readmes.ts';
import type { Block } from './support/readmes.ts';

const runnable = ['sh', 'bash', 'shell', 'console', 'js'];
const pages = readmes
  .map(({ path, text }) => ({ path, blocks: blocksOf(text).filter(({ language }) => runnable.includes(language)) }))
  .filter(({ blocks }) => blocks.length > 0);

/**
 * The page whose server of the demonstration has a ninth type comes first: it serves the commands of all others too.
 */
const first = 'src/definitions/README.md';
/** Pages that make what others use come next, then all others. */
const order = [first, 'README.md', 'src/bulk/README.md', 'src/interaction/README.md'];
const rank = (path: string): number => (order.includes(path) ? order.indexOf(path) : order.length);
const toRun = pages
  .map(({ path, blocks }) => ({ path, blocks: blocks.filter(({ note }) => note === undefined) }))
  .filter(({ blocks }) => blocks.length > 0)
  .sort((a, b) => rank(a.path) - rank(b.path));

/** What the output of a page shows. */
const shown: Readonly<Record<string, readonly RegExp[]>> = {
  'src/definitions/README.md': [
    /"resourceType":"Bundle"[^\n]*"id":"belanger-1"/,
    /"versionId":"2"[^\n]*"family":"Roy-Gagnon"/,
    /HTTP\/1\.1 204 /,
    /The definitions are valid: 9 resource types/,
    /The definitions are valid: 3 resource types/,
    /"contains":\[[^\]]*"code":"right"/,
    /"type":"searchset"[^\n]*"given":\["Bob"\]/,
    /`birthDate` is required \(profile https:\/\/example\.org\/born\)/,
  ],
  'README.md': [/"type": "Patient"/, /"family": "Tremblay"/, /"total":[1-9]/, /Serves http:\S+\/r4\/\{partition\}/],
  'src/cli/README.md': [/Systolic blood pressure\D+99\D+123\.6/],
  'src/interaction/README.md': [/^HTTP\/1\.1 201 /m, /"title":"A dot"/],
  'src/store/README.md': [/verified, 0 findings/, /^\d+ records [^\n]* 0 findings/m],
};

const missing = ['sh', 'curl', 'openssl'].filter(tool => spawnSync(tool, ['-c', 'true']).error !== undefined);
const unless = missing.length === 0 ? '' : ` (left out: there is no ${missing.join(', no ')} here)`;

describe('a block of commands', () => {
  it('is run, by this file or by another one, or says why it is not', () => {
    expect(toRun.length).toBeGreaterThan(9);
    const unexplained = pages.flatMap(({ path, blocks }) =>
      blocks.filter(block => !isExplained(path, block)).map(({ line }) => `${path}:${line}`),
    );
    expect(unexplained).toEqual([]);
  });
});

/** Whether a block is run here (those of the shell), says why it is not, or names a file that runs it and says so. */
function isExplained(path: string, { language, note }: Block): boolean {
  if (note === undefined) return language === 'sh';
  const [, kind, what = ''] = /^(not run|run by): (.+)$/.exec(note) ?? [];
  if (kind === 'run by') return readFileSync(join(root, what), 'utf8').includes(path);
  return kind === 'not run';
}

describe.skipIf(missing.length > 0)(`the commands of the READMEs${unless}`, () => {
  const run = inOneProcess();
  const servers = new Map<string, { readonly launched: Launched; readonly port: number; readonly isDemo: boolean }>();
  let folder: string;
  const bridge = createServer((request, response) => {
    npm(request, response).catch((error: unknown) => response.writeHead(599).end(String(error)));
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crs-readme-'));
    for (const name of ['src', 'test', 'node_modules']) symlinkSync(join(root, name), join(folder, name));
    // What the page on Inferno expects of its reader: a certificate and the keys of the kit.
    const { cert, key } = selfSigned('records.example');
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES384', use: 'sig', key_ops: ['verify'] };
    writeFileSync(join(folder, 'inferno-jwks.json'), JSON.stringify({ keys: [jwk] }));
    writeFileSync(join(folder, 'ports'), '');
    bridge.listen(0, '127.0.0.1');
    await once(bridge, 'listening');
  });
  afterAll(async () => {
    for (const port of servers.keys()) await stop(port);
    bridge.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(toRun)('$path', async ({ path, blocks }) => {
    const script = blocks.map(({ content, line }) => `echo '== line ${line}'\n${content}\necho\n`).join('');
    const child = spawn('sh', ['-e', '-c', `${functions()}${script}`], { cwd: folder, env: environment() });
    const [output, errors, [code]] = await Promise.all([
      buffer(child.stdout),
      buffer(child.stderr),
      once(child, 'close'),
    ]);
    expect([code, String(errors)], `${String(output)}${String(errors)}`).toEqual([0, '']);
    for (const pattern of shown[path] ?? []) expect(String(output)).toMatch(pattern);
  });

  /**
   * Shell functions in place of npm and curl: npm hands its words and the variables of the service to this process,
   * which runs commands one after another in one process and servers beside it, at free ports; curl finds these.
   */
  function functions(): string {
    const { port } = bridge.address() as AddressInfo; // it listens on TCP
    return `
npm() {
  code=$({ env | grep '^CRS_' || true; for word in "$@"; do printf '%s\\n' "$word"; done; } |
    command curl -sS -o .answer -w '%{http_code}' --data-binary @- http://127.0.0.1:${port}/)
  cat .answer
  return $((code - 200))
}
curl() {
  command curl -sS --fail-with-body $(cat ports) "$@"
}
`;
  }

  /** Does what npm is asked for. The status of the answer is 200 and the exit code, its text the output. */
  async function npm(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const lines = String(await buffer(request))
      .trimEnd()
      .split('\n');
    const env = Object.fromEntries(
      lines.filter(isVariable).map(line => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    );
    const words = lines.filter(line => !isVariable(line));
    const answer = (code: number, text: string): void => void response.writeHead(200 + code).end(text);
    if (words.join(' ') === 'ci') return answer(0, ''); // which made that these tests run
    const rest = words.filter(word => !/^(-s|--silent|--)$/.test(word));
    const args = rest[0] === 'start' ? ['serve', '--demo', ...rest.slice(1)] : rest.slice(2);
    if (rest[0] !== 'start' && rest.slice(0, 2).join(' ') !== 'run cli')
      return answer(99, `not run here: npm ${words.join(' ')}`);
    if (args[0] === 'serve') return answer(0, await serve(args, env));
    const { code, stdout, stderr } = await run(args, { cwd: folder, env });
    answer(code ?? 98, code === 0 ? stdout : `${stdout}${stderr}`);
  }

  /** Starts a server and answers what it prints; one that is to be as the one that runs is not started again. */
  async function serve(args: readonly string[], env: Record<string, string>): Promise<string> {
    const at = args.indexOf('--port');
    const asked = at < 0 ? '8080' : (args[at + 1] ?? '');
    const running = servers.get(asked);
    if (running?.isDemo === true && args.join(' ') === 'serve --demo') return running.launched.stdout();
    await stop(asked);
    const port = await freePort();
    const own = at < 0 ? args : args.toSpliced(at, 2);
    const launched = launch([...own, '--port', String(port), '--log', 'error'], { cwd: folder, env });
    await launched.until(/Ctrl-C stops it\./);
    servers.set(asked, { launched, port, isDemo: args.includes('--demo') });
    const connections = [...servers].map(([from, { port: to }]) => `--connect-to 127.0.0.1:${from}:127.0.0.1:${to}`);
    writeFileSync(join(folder, 'ports'), connections.join('\n'));
    return launched.stdout();
  }

  async function stop(asked: string): Promise<void> {
    const running = servers.get(asked);
    servers.delete(asked);
    running?.launched.process.kill('SIGTERM');
    if (running !== undefined) expect(await running.launched.ended).toBe(0);
  }

  it('leave the accounts of the demonstration as they are, and have made what they say', async () => {
    expect(existsSync(join(folder, 'data/practitioner.ndjson'))).toBe(true);
    const token = (
      await run(
        ['token', '--client', 'demo-backend', '--partition', 'demo', '--definitions', 'test/fixtures/ninth-type'],
        { cwd: folder },
      )
    ).stdout.trim();
    const url = `http://127.0.0.1:${servers.get('8080')?.port}/r4/demo`;
    const clinician = await fetch(`${url}/Practitioner/practitioner-1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await clinician.json()).toMatchObject({ name: [{ family: 'Okafor' }] });
    const statement = (await (await fetch(`${url}/metadata`)).json()) as { rest: { resource: { type: string }[] }[] };
    expect(statement.rest[0]?.resource.map(({ type }) => type)).toContain('Practitioner');
  });
});

const isVariable = (line: string): boolean => /^CRS_\w+=/.test(line);
