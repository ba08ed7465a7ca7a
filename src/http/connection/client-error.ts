import { randomUUID } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { operationOutcome } from '../../fhir/outcome.ts';
import type { IssueCode } from '../../fhir/outcome.ts';
import type { UnreadRequest } from '../../observability/unread.ts';
import { defaultContentType } from '../request/negotiate.ts';

const mostBytes = 16 * 1024 * 1024;
const longest = 2_000;

/**
 * Discards the input of a rejected client, for two seconds or 16 MB at most: a connection that is closed with unread
 * bytes is reset, and the client would lose the answer. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
 */
export function linger(source: Readable): Promise<void> {
  return new Promise(resolve => {
    let left = mostBytes;
    const timer = setTimeout(resolve, longest);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    source.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) done();
    });
    source.on('end', done).on('error', done).on('close', done);
    source.resume();
  });
}

const { STATUS_CODES } = process.getBuiltinModule('node:http'); // as in server.ts

/** The response to the last request on a connection; undefined before the first. */
export type CurrentResponse = (socket: Duplex) => ServerResponse | undefined;

interface Refusal {
  readonly status: number;
  readonly code: IssueCode;
  readonly text: string;
}

type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Answers connections that never become a request, with an OperationOutcome as well: parser errors of Node, slow
 * requests, an unknown Expect, and CONNECT. The connection is closed. `headers` are sent with every answer; `unread`
 * is called for each, but not for a connection on which nothing came, nor for a body: its request is observed already.
 */
export function answerClientErrors(
  server: Server,
  headers: Readonly<Record<string, string>>,
  currentResponse: CurrentResponse,
  unread: (request: UnreadRequest) => void,
): void {
  const answer = (socket: Duplex, refusal: Refusal, more: Readonly<Record<string, string>> = headers): string => {
    const requestId = randomUUID();
    const { remoteAddress = '', bytesRead = 0 } = socket as Partial<Socket>; // a socket of TCP or TLS
    const isObserved = currentResponse(socket)?.writableEnded === false;
    if (bytesRead > 0 && !isObserved) unread({ status: refusal.status, requestId, address: remoteAddress });
    return rawAnswer(refusal, requestId, more);
  };
  const refused = new WeakSet<Duplex>();
  server.on('clientError', (error: ParseError, socket: Duplex) => {
    if (refused.has(socket)) return; // the parser repeats its error for each further packet
    const response = currentResponse(socket);
    const answered = response?.headersSent === true && !(response.writableEnded && response.req.complete);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (answered) socket.end(() => socket.destroy());
    else {
      refused.add(socket);
      refuse(socket, answer(socket, refusalOf(error)));
    }
  });
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const text = 'The only supported expectation is `Expect: 100-continue`.';
    const { socket } = response;
    socket?.end(answer(socket, { status: 417, code: 'not-supported', text }));
  });
  server.on('connect', (_request, socket: Duplex) => {
    socket.on('error', () => socket.destroy()); // the server has removed its own listeners
    const text = '`CONNECT` is not supported.';
    socket.end(answer(socket, { status: 405, code: 'not-supported', text }, { ...headers, Allow: '' }));
  });
}

/** Sends the answer and discards further input, so that the client reads the answer. */
function refuse(socket: Duplex, answer: string): void {
  socket.end(answer);
  void linger(socket).then(() => socket.destroy());
}

function refusalOf({ code, rawPacket }: ParseError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW' && isFirstLine(rawPacket)) {
    return { status: 414, code: 'too-long', text: 'The URL exceeds the size limit.' };
  }
  return refusals[code ?? ''] ?? { status: 400, code: 'invalid', text: 'This is not a well-formed HTTP request.' };
}

/** Refusals by Node's error code. https://nodejs.org/api/http.html#event-clienterror */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too-long', text: 'The request headers exceed the size limit.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, code: 'too-long', text: 'The chunk extensions exceed the size limit.' },
  HPE_INVALID_URL: {
    status: 400,
    code: 'value',
    text: 'The URL has a character that must be percent-encoded as UTF-8.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'timeout', text: 'The request did not arrive in time.' },
};

/** True if a packet begins a request whose first line does not end in it. */
function isFirstLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false;
  const text = packet.toString('latin1', 0, 16);
  return /^[A-Z]{3,10} \S/.test(text) && !packet.includes('\r\n');
}

function rawAnswer(refusal: Refusal, requestId: string, headers: Readonly<Record<string, string>>): string {
  const body = JSON.stringify(operationOutcome([{ severity: 'error', code: refusal.code, text: refusal.text }]));
  const lines = Object.entries({
    ...headers,
    Date: new Date().toUTCString(),
    'X-Request-Id': requestId,
    'Content-Type': defaultContentType,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
