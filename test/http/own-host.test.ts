// DNS rebinding: https://www.rfc-editor.org/rfc/rfc9110#section-7.4, src/http/README.md#open-access
import { describe, expect, it, onTestFinished } from 'vitest';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import { testTokens } from '../support/tokens.ts';

describe('a server with open access', () => {
  it('answers requests to this machine and to its public URL, and no other name', async () => {
    const server = await serve([patient('p1')], ['--public-url', 'http://localhost:1/']);
    onTestFinished(() => server.close());
    const status = async (host: string, path = '/Patient/p1'): Promise<number> =>
      (await server.get(path, { Host: host })).status;
    for (const host of [
      'localhost',
      'LocalHost:8080',
      '127.0.0.1:1',
      '127.8.9.1',
      '[::1]:80',
      '[0:0:0:0:0:0:0:1]',
      '[0000::0001]:8080',
      'localhost.',
      'localhost.:8080',
      'app.localhost:3000',
      '',
    ])
      expect([host, await status(host)]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      'evil.example:8080',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '[::2]',
      '[0:0:0:0:0:0:1:1]',
      'evil.example.',
      'localhost..',
    ])
      for (const path of ['/Patient/p1', '/metadata', '//', '//readyz'])
        expect([host, path, await status(host, path)]).toEqual([host, path, 421]);
    const { json } = await server.get('/Patient/p1', { Host: 'evil.example:80' });
    expect(json.issue).toMatchObject([
      {
        code: 'forbidden',
        diagnostics: expect.stringContaining('`Host` is `evil.example:80`'),
        expression: ['http.Host'],
      },
    ]);
  });

  it('goes by the host of an absolute target, not by the header (RFC 9112, section 3.2.2)', async () => {
    const server = await serve([patient('p1')]);
    onTestFinished(() => server.close());
    const head = 'Host: localhost\r\nConnection: close\r\n\r\n';
    const ask = (target: string): Promise<string> => server.raw(`GET ${target} HTTP/1.1\r\n${head}`);
    expect(await ask('http://localhost/r4/demo/Patient/p1')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask('http://evil.example/r4/demo/Patient/p1')).toMatch(
      /^HTTP\/1\.1 421 [^]*`Host` is `evil\.example`/,
    );
    for (const authority of ['a@localhost', '', ':80'])
      expect(await ask(`http://${authority}/r4/demo/Patient/p1`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('has the host of its public URL', async () => {
    const server = await serve([patient('p1')], ['--public-url', 'https://records.example']);
    onTestFinished(() => server.close());
    expect((await server.get('/Patient/p1', { Host: 'Records.example:443' })).status).toBe(200);
    expect((await server.get('/Patient/p1', { Host: 'records.example.evil' })).status).toBe(421);
  });
});

it('a server that requires tokens answers under every name', async () => {
  const tokens = testTokens();
  const server = await serve([patient('p1')], [], undefined, { verify: tokens.verify });
  onTestFinished(() => server.close());
  const headers = { ...tokens.bearer({ scope: 'system/*.rs' }), Host: 'records.example' };
  expect((await server.get('/Patient/p1', headers)).status).toBe(200);
});
