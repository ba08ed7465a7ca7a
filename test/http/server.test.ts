import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { startEngine } from '../../src/engine/engine.ts';
import { createReloads } from '../../src/engine/reloads.ts';
import { selfSigned } from '../support/certificate.ts';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crs-server-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const config = (...flags: string[]) =>
  readConfig([
    '--port',
    '0',
    '--log',
    'off',
    '--access',
    'open',
    '--store',
    `sqlite:${join(folder, 'records.sqlite')}`,
    ...flags,
  ]);

describe('health', () => {
  it('is 200 while the server serves, for GET and HEAD', async () => {
    const server = await serve();
    for (const path of ['//healthz', '//readyz']) {
      const answer = await server.get(path);
      expect([answer.status, answer.text]).toEqual([200, '{"status":"ok"}']);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect((await server.ask('HEAD', path)).status).toBe(200);
    }
    await server.close();
  });

  it('readyz is 503 with a neutral reason where the store does not answer; healthz stays 200', async () => {
    const server = await serve();
    await server.running.engine.store.close();
    const { status, json, headers } = await server.get('//readyz');
    expect([status, json.issue[0].diagnostics]).toEqual([503, 'The record store does not answer.']);
    expect(headers['retry-after']).toBe('5');
    expect((await server.get('//healthz')).status).toBe(200);
    await server.close().catch(() => {});
  });
});

describe('shutdown', () => {
  it('lets a request in flight finish, refuses new connections, then closes the store', async () => {
    const server = await serve([patient('p1')]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Transfer-Encoding': 'chunked' };
    const { port } = server.running;
    const slow = request({ port, host: '127.0.0.1', method: 'POST', path: '/r4/demo/Patient/_search', headers });
    const answer = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      slow.on('response', response => {
        response.resume();
        resolve({ status: response.statusCode, connection: response.headers.connection });
      });
      slow.on('error', reject);
    });
    slow.write('active=');
    await sleep(100);
    const closed = server.running.close();
    await sleep(100);
    await expect(server.get('/Patient/p1')).rejects.toThrow('ECONNREFUSED');
    slow.end('true');
    expect(await answer).toEqual({ status: 200, connection: 'close' });
    await closed;
    await expect(server.partition.read('Patient', 'p1')).rejects.toThrow('not open');
    await server.close();
  });

  it.each(['http', 'https'])('answers one more request of an idle %s connection, if it is patient', async scheme => {
    const pair = selfSigned('localhost');
    const [cert, key] = [join(folder, 'patient-cert.pem'), join(folder, 'patient-key.pem')];
    writeFileSync(cert, pair.cert);
    writeFileSync(key, pair.key);
    const running = await startEngine(config(...(scheme === 'https' ? ['--tls-cert', cert, '--tls-key', key] : [])));
    const to = { port: running.port, host: '127.0.0.1', rejectUnauthorized: false };
    const socket = scheme === 'https' ? connectTls(to) : connect(to);
    let text = '';
    socket.on('data', chunk => (text += chunk.toString()));
    const ended = new Promise(resolve => socket.on('close', resolve));
    const ask = (): boolean => socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    ask();
    await expect.poll(() => text).toMatch(/ 200 OK[^]*Connection: keep-alive[^]*}$/);
    text = '';
    const closed = running.close(86_400_000); // which does not wait for that long if no connection is open
    ask();
    await Promise.all([ended, closed]);
    expect(text).toMatch(/^HTTP\/1\.1 503 [^]*Connection: close[^]*The server is shutting down\./);
  });

  it('cuts what does not finish in time, and closes idle connections at once', async () => {
    const server = await serve([patient('p1')], ['--shutdown-timeout', '0.3']);
    const idle = server.raw('GET /r4/demo/Patient/p1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const form = 'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n';
    const stuck = server.raw(`POST /r4/demo/Patient/_search HTTP/1.1\r\nHost: localhost\r\n${form}`).catch(() => 'cut');
    await sleep(100);
    await server.close();
    expect(await idle).toContain('200 OK');
    await stuck;
  });
});

describe('start', () => {
  it('accepts only loopback addresses if no token is required, whatever the source of the settings', async () => {
    await expect(startEngine({ ...config(), access: 'open', host: '0.0.0.0' })).rejects.toThrow(
      'listens on loopback only',
    );
    await expect(startEngine({ ...config(), access: 'open', host: '::' })).rejects.toThrow('loopback');
  });

  it('refuses definitions that do not load, with file and place', async () => {
    await expect(startEngine(config('--capability', join(folder, 'nowhere')))).rejects.toThrow('nowhere');
  });

  it('refuses a port that is taken and leaves the store free', async () => {
    const server = await serve();
    await expect(startEngine({ ...config(), port: server.running.port })).rejects.toThrow('EADDRINUSE');
    const second = await startEngine(config());
    await second.close();
    await server.close();
  });

  it('makes absolute URLs from --public-url', async () => {
    const server = await serve([patient('p1')], ['--public-url', 'https://ehr.example/fhir/']);
    const { json } = await server.get('/Patient?_count=1');
    expect(json.link[0].url).toBe('https://ehr.example/fhir/r4/demo/Patient?_count=1');
    expect(json.entry[0].fullUrl).toBe('https://ehr.example/fhir/r4/demo/Patient/p1');
    expect((await server.get('/metadata')).json.implementation.url).toBe('https://ehr.example/fhir/r4/demo');
    await server.close();
  });
});

describe('TLS', () => {
  /** The certificate that is shown, and the answer to a read of metadata. */
  const ask = (port: number): Promise<{ certificate: PeerCertificate; text: string }> =>
    new Promise((resolve, reject) => {
      let text = '';
      let certificate: PeerCertificate;
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
        certificate = socket.getPeerCertificate();
        socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      });
      socket.on('data', chunk => (text += chunk.toString()));
      socket.on('end', () => resolve({ certificate, text }));
      socket.on('error', reject);
    });

  it('serves https with HSTS, and reads the certificate again when it is asked to', async () => {
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    const write = (name: string): void => {
      const pair = selfSigned(name);
      writeFileSync(cert, pair.cert);
      writeFileSync(key, pair.key);
    };
    write('first');
    const reloads = createReloads();
    const running = await startEngine(config('--tls-cert', cert, '--tls-key', key), undefined, { reloads });
    expect(running.url).toBe(`https://127.0.0.1:${running.port}`);
    const first = await ask(running.port);
    expect(first.certificate.subject.CN).toBe('first');
    expect(first.text).toContain('Strict-Transport-Security: max-age=31536000');

    write('second');
    await reloads.reload();
    expect((await ask(running.port)).certificate.subject.CN).toBe('second');

    writeFileSync(cert, 'broken');
    await reloads.reload();
    expect((await ask(running.port)).certificate.subject.CN).toBe('second');
    await running.close();
  });

  it('a certificate that cannot be read stops the start', async () => {
    const flags = ['--tls-cert', join(folder, 'none.pem'), '--tls-key', join(folder, 'none.pem')];
    await expect(startEngine(config(...flags))).rejects.toThrow('none.pem');
  });

  it('a file that holds no certificate stops the start, and is named', async () => {
    const path = join(folder, 'other.pem');
    writeFileSync(path, 'no certificate');
    const starting = startEngine(config('--tls-cert', path, '--tls-key', path));
    await expect(starting).rejects.toThrow(`\`tls-cert\` (\`${path}\`) is not a certificate as PEM: `);
  });
});
