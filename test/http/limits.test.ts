// https://www.rfc-editor.org/rfc/rfc9110#section-15.5 and https://hl7.org/fhir/R4/http.html#Status-Codes
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../support/resources.ts';
import { serve } from '../support/serve.ts';
import type { Served } from '../support/serve.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([patient('p1')], ['--header-timeout', '0.4', '--body-timeout', '0.5', '--keep-alive', '0.3']);
});
afterAll(() => server.close());

const form = 'Content-Type: application/x-www-form-urlencoded\r\n';
const head = (line: string, fields = ''): string => `${line} HTTP/1.1\r\nHost: localhost\r\n${fields}`;

/** Status and OperationOutcome of a raw answer. */
function outcome(answer: string): { status: number; code: string; close: boolean } {
  const [top = '', body = ''] = answer.split('\r\n\r\n');
  const { resourceType, issue } = JSON.parse(body);
  expect(resourceType).toBe('OperationOutcome');
  expect(top).toMatch(/content-type: application\/fhir\+json; charset=utf-8/i);
  expect(top).toMatch(/x-content-type-options: nosniff/i);
  expect(top).toMatch(/x-request-id: \S+/i);
  expect(top).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  return { status: Number(top.slice(9, 12)), code: issue[0].code, close: /^connection: close$/im.test(top) };
}

describe('a URL', () => {
  it('of 16,384 bytes is taken, one byte more is 414', async () => {
    const path = '/r4/demo/Patient?_id=p1';
    const fill = (length: number): string => `/${path.padEnd(length, '&')}`;
    expect((await server.get(fill(16_384))).status).toBe(200);
    const refused = await server.get(fill(16_385));
    expect(refused.status).toBe(414);
    expect(refused.json.issue[0]).toMatchObject({ code: 'too-long', diagnostics: expect.stringContaining('_search') });
  });

  it('far too long is 414 from the parser', async () => {
    expect(outcome(await server.raw(head(`GET /r4/demo/Patient?_id=${'a'.repeat(200_000)}`)))).toEqual({
      status: 414,
      code: 'too-long',
      close: true,
    });
  });

  it('with a byte that must be escaped is 400', async () => {
    const answer = outcome(await server.raw(head('GET /r4/demo/Patient?given=Zoë', '\r\n')));
    expect(answer).toEqual({ status: 400, code: 'value', close: true });
  });

  it('with a fragment is 400', async () => {
    expect(outcome(await server.raw(head('GET /r4/demo/Patient#a', 'Connection: close\r\n\r\n')))).toMatchObject({
      status: 400,
      code: 'value',
    });
  });
});

describe('headers', () => {
  it('that are too long are 431', async () => {
    const answer = await server.raw(head('GET /r4/demo/metadata', `X-Long: ${'a'.repeat(200_000)}\r\n\r\n`));
    expect(outcome(answer)).toEqual({ status: 431, code: 'too-long', close: true });
  });

  it('that come too slowly are 408', async () => {
    const answer = await server.raw('GET /r4/demo/metadata HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    expect(outcome(answer)).toEqual({ status: 408, code: 'timeout', close: true });
  });

  it('a connection on which nothing comes is closed with 408', async () => {
    expect(outcome(await server.raw(''))).toMatchObject({ status: 408 });
  });

  it.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    [
      'both lengths',
      head('POST /r4/demo/Patient/_search', `${form}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n`),
    ],
    ['two lengths', head('POST /r4/demo/Patient/_search', `${form}Content-Length: 3\r\nContent-Length: 4\r\n\r\n`)],
    ['a length that is no number', head('POST /r4/demo/Patient/_search', `${form}Content-Length: 3x\r\n\r\n`)],
    ['another protocol version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n'],
  ])('%s is 400', async (_what, text) => {
    expect(outcome(await server.raw(text))).toEqual({ status: 400, code: 'invalid', close: true });
  });

  it('HTTP/1.1 without Host is 400', async () => {
    const answer = await server.raw('GET /r4/demo/metadata HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(outcome(answer)).toMatchObject({ status: 400, code: 'required' });
  });

  it.each([
    ['two of them', 'Host: localhost\r\nHost: y', 'invalid'],
    ['the same one twice, in other letters', 'Host: localhost\r\nX-Other: 1\r\nhost: localhost', 'invalid'],
    ['a space in it', 'Host: a b', 'value'],
    ['a path', 'Host: localhost/y', 'value'],
    ['a user', 'Host: user@x', 'value'],
    ['a port that is no number', 'Host: localhost:http', 'value'],
    ['two ports', 'Host: localhost:1:2', 'value'],
    ['half an escape', 'Host: localhost%2', 'value'],
    ['half a bracket', 'Host: [::1', 'value'],
    ['letters that are not ASCII', 'Host: zoë', 'value'],
  ])('a Host with %s is 400', async (_what, lines, code) => {
    for (const version of ['1.1', '1.0']) {
      const text = `GET /r4/demo/Patient/p1 HTTP/${version}\r\n${lines}\r\nConnection: close\r\n\r\n`;
      expect(outcome(await server.raw(text))).toMatchObject({ status: 400, code });
    }
  });

  it.each(['', 'x', 'EHR.example:443', 'x:', '127.0.0.1:80', '[::1]:8080', 'a_b-c.example', 'x%20y'])(
    'a Host `%s` is well-formed',
    async host => {
      const text = `GET /r4/demo/Patient/p1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await server.raw(text)).toMatch(/^HTTP\/1\.1 (?:200|421) /); // 421: another machine
    },
  );

  it('HTTP/1.0 without Host is served', async () => {
    expect(await server.raw('GET /r4/demo/Patient/p1 HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an expectation other than 100-continue is 417', async () => {
    const answer = await server.raw(head('GET /r4/demo/metadata', 'Expect: tea\r\n\r\n'));
    expect(outcome(answer)).toMatchObject({ status: 417, code: 'not-supported' });
  });

  it('CONNECT is 405', async () => {
    expect(outcome(await server.raw('CONNECT x:80 HTTP/1.1\r\nHost: localhost\r\n\r\n'))).toMatchObject({
      status: 405,
    });
  });

  it('CONNECT of a client that disconnects affects no other client', async () => {
    const text = 'CONNECT x:80 HTTP/1.1\r\nHost: localhost\r\n\r\n';
    await server.raw(text, socket => socket.once('data', () => socket.resetAndDestroy())).catch(() => {});
    await sleep(100); // the unhandled error came after that
    expect((await server.get('/Patient/p1')).status).toBe(200);
  });
});

describe('a body', () => {
  it('that is announced by no field is empty, and nothing waits for it', async () => {
    const close = 'Connection: close\r\n\r\n';
    const search = await server.raw(head('POST /r4/demo/Patient/_search', `${form}${close}`));
    expect(search).toMatch(/^HTTP\/1\.1 200 /);
    const create = await server.raw(head('POST /r4/demo/Media', `Content-Type: application/fhir+json\r\n${close}`));
    expect(outcome(create)).toEqual({ status: 400, code: 'structure', close: true });
  });

  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };

  it('of 1 MiB is read, one byte more is 413', async () => {
    const body = (length: number): string => `active=true${'&'.repeat(length - 11)}`;
    expect((await server.ask('POST', '/Patient/_search', { headers, body: body(1_048_576) })).status).toBe(200);
    const answer = await server.ask('POST', '/Patient/_search', { headers, body: body(1_048_577) });
    expect([answer.status, answer.json.issue[0].code]).toEqual([413, 'too-long']);
  });

  it('announced as too large is refused before it is sent', async () => {
    const fields = `${form}Content-Length: 9999999\r\nExpect: 100-continue\r\n\r\n`;
    const answer = await server.raw(head('POST /r4/demo/Patient/_search', fields), socket => socket.end());
    expect(outcome(answer)).toEqual({ status: 413, code: 'too-long', close: true });
    expect(answer).not.toContain('100 Continue');
  });

  it('that grows too large in chunks is refused while it comes, and the client gets the answer', async () => {
    const chunk = 'a'.repeat(65_536);
    const answer = await server.raw(
      head('POST /r4/demo/Patient/_search', `${form}Transfer-Encoding: chunked\r\n\r\n`),
      socket => {
        for (let sent = 0; sent < 40; sent++) socket.write(`10000\r\n${chunk}\r\n`);
      },
    );
    expect(outcome(answer)).toEqual({ status: 413, code: 'too-long', close: true });
  });

  it('that comes too slowly is 408', async () => {
    const fields = `${form}Content-Length: 20\r\n\r\n`;
    const answer = await server.raw(head('POST /r4/demo/Patient/_search', `${fields}active=`));
    expect(outcome(answer)).toEqual({ status: 408, code: 'timeout', close: true });
  });

  it('that is cut short by the client is 400', async () => {
    const fields = `${form}Content-Length: 20\r\n\r\n`;
    const answer = await server.raw(head('POST /r4/demo/Patient/_search', `${fields}active=`), socket => socket.end());
    expect(outcome(answer)).toMatchObject({ status: 400, code: 'invalid' });
  });

  it('whose chunks are malformed is 400', async () => {
    const fields = `${form}Transfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n`;
    expect(outcome(await server.raw(head('POST /r4/demo/Patient/_search', fields)))).toMatchObject({ status: 400 });
  });

  it('is asked for with 100 Continue', async () => {
    const fields = `${form}Content-Length: 11\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
    const answer = await server.raw(head('POST /r4/demo/Patient/_search', fields), socket => {
      socket.once('data', () => socket.write('active=true'));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it('of what is refused anyway is not waited for', async () => {
    const fields = 'Content-Type: application/fhir+json\r\nContent-Length: 20\r\nConnection: close\r\n\r\n';
    expect(outcome(await server.raw(head('PUT /r4/demo/Patient/p1', fields)))).toMatchObject({ status: 405 });
  });
});

describe('a connection', () => {
  it('that the client ends on its side first still gets the answer', async () => {
    const answer = await server.raw(head('GET /r4/demo/Patient/p1', '\r\n'), socket => socket.end());
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('"id":"p1"');
  });

  it('carries several requests, answered in order', async () => {
    const one = head('GET /r4/demo/Patient/p1', '\r\n');
    const last = head('GET /r4/demo/Patient/none', 'Connection: close\r\n\r\n');
    expect((await server.raw(one + one + last)).match(/HTTP\/1\.1 \d{3}/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 404',
    ]);
  });

  it('that is idle is closed', async () => {
    expect(await server.raw(head('GET /r4/demo/Patient/p1', '\r\n'))).toContain('200 OK');
  });

  it('that breaks in the middle of a request affects no other connection', async () => {
    await server
      .raw(head('POST /r4/demo/Patient/_search', `${form}Content-Length: 20\r\n\r\nac`), socket => {
        setTimeout(() => socket.resetAndDestroy(), 50);
      })
      .catch(() => {});
    await sleep(100);
    expect((await server.get('/Patient/p1')).status).toBe(200);
  });
});
