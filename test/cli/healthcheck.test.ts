// The health check of the image: src/http/README.md#service-and-container.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { environment, launch, launchedFrom, root } from './process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'healthcheck-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Variables = Readonly<Record<string, string>>;

/** Starts a service with these settings: some in a file, some in the environment. */
async function serve(inFile: object, variables: Variables = {}): Promise<Variables> {
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify({ access: 'open', log: 'error', ...inFile }));
  const env = { CRS_STORE: `sqlite:${join(folder, 'records.sqlite')}`, CRS_CONFIG: file, ...variables };
  const server = launch(['serve'], { env });
  onTestFinished(async () => {
    server.process.kill();
    await server.ended;
  });
  await server.until(/^Serves /m);
  return env;
}

/** The exit code of the command of the image, and what it prints. */
async function check(env: Variables): Promise<readonly [code: number | null, stderr: string]> {
  const program = join(root, 'src/cli/healthcheck.ts');
  const child = launchedFrom(spawn(process.execPath, [program], { cwd: root, env: { ...environment(), ...env } }));
  return [await child.ended, child.stderr()];
}

describe('the health check', () => {
  it('asks the service of the settings file, also by https', async () => {
    const { cert, key } = selfSigned('records.example');
    const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(tlsCert, cert);
    writeFileSync(tlsKey, key, { mode: 0o600 });
    const env = await serve({ port: await freePort(), 'tls-cert': tlsCert, 'tls-key': tlsKey });
    expect(await check(env)).toEqual([0, '']);
  });

  it('takes the environment before the file, as the service does', async () => {
    const env = await serve({ port: await freePort() }, { CRS_PORT: String(await freePort()) });
    expect(await check(env)).toEqual([0, '']);
    expect(await check({ ...env, CRS_PORT: '' })).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  });

  it('fails with the reason where nothing can be asked', async () => {
    const port = await freePort();
    expect(await check({ CRS_PORT: String(port) })).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
    expect(await check({ CRS_CONFIG: join(folder, 'none.json') })).toEqual([1, expect.stringContaining('none.json')]);
    expect(await check({ CRS_PORT: '0' })).toEqual([1, expect.stringContaining('free port')]);
  });
});
