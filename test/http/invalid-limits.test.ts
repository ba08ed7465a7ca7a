// Bodies that cost much memory once they are parsed, from many clients at once.
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { launch, run } from '../cli/process.ts';
import { freePort } from '../support/free-port.ts';
import { media, post } from '../support/media.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
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

it('bodies that never end are refused beyond 192 MB, and small ones are still accepted', async () => {
  const server = await serve([patient('p1')]);
  onTestFinished(() => server.close());
  const part = Buffer.alloc(1_000_000, ' ');
  const head = 'POST /r4/demo/Media HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/fhir+json\r\n';
  let refused = 0;
  const sockets = Array.from({ length: 230 }, () => {
    const socket = connect({ port: server.running.port, host: '127.0.0.1' });
    socket.on('error', () => {}).on('data', chunk => (refused += chunk.toString().startsWith('HTTP/1.1 503 ') ? 1 : 0));
    socket.write(`${head}Content-Length: ${part.length + 1}\r\n\r\n`);
    socket.write(part);
    onTestFinished(() => void socket.destroy());
    return socket;
  });
  await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThan(20);
  const small = await post(server, 'Media', media());
  expect(small.status).toBe(201);
  expect(refused).toBeLessThan(60);
  for (const socket of sockets) socket.destroy();
  const long = media({ note: [{ text: 'x'.repeat(500_000) }] });
  const large = async (): Promise<number> => (await post(server, 'Media', long)).status;
  await expect.poll(large).toBe(201); // their memory is given back
});
