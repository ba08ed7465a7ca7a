// Bodies that cost much memory once they are parsed, from many clients at once.
import { Agent, request as httpRequest } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launch, run } from '../cli/process.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('160 invalid bodies of 720 KB do not end a process with a heap of 512 MB', async () => {
  const store = `sqlite:${join(mkdtempSync(join(temporaryFolder(), 'crs-invalid-')), 'a.sqlite')}`;
  const port = await freePort();
  const flags = ['--interface', 'r4', '--store', store];
  expect((await run(['partition', 'add', 'demo', ...flags])).code).toBe(0);
  const open = ['--access', 'open', '--authorization-server', 'off', '--log', 'off'];
  const server = launch(['serve', '--port', `${port}`, ...flags, ...open], { execArgv: ['--max-old-space-size=512'] });
  onTestFinished(() => void server.process.kill('SIGTERM'));
  await server.until(/^Serves /m);
  const agent = new Agent({ maxSockets: 160 });
  onTestFinished(() => agent.destroy());
  const name = Array.from({ length: 60_000 }, () => ({ use: 'x' }));
  const body = JSON.stringify({ resourceType: 'Patient', name });
  const headers = { 'Content-Type': 'application/fhir+json' };
  const send = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { agent, port, host: '127.0.0.1', method: 'POST', path: '/r4/demo/Patient', headers };
      const sent = httpRequest(options, response => {
        response.resume().on('end', () => resolve(response.statusCode));
      });
      sent.on('error', reject).end(body);
    });
  const statuses = await Promise.all(Array.from({ length: 160 }, send));
  expect(new Set(statuses)).toEqual(new Set([422]));
}, 300_000);
