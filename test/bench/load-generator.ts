import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { counterMark } from './protocol.ts';
import type { ClientQuestion, RunResult, WireRequest } from './protocol.ts';
import { percentile } from './statistics.ts';

// A child process: sends requests over keep-alive connections, one at a time on each, at as little cost as it can.

type Run = Extract<ClientQuestion, { kind: 'run' }>;

/**
 * One connection; at most one request is under way. Answers have a Content-Length and begin with a chunk of their own.
 */
class Connection {
  readonly socket: Socket;
  onAnswer: (status: number, bytes: number, body: () => string) => void = () => {};
  #head: Buffer | undefined;
  #body: Buffer[] = [];
  #left = 0;
  #status = 0;
  #length = 0;

  constructor(port: number) {
    // Each chunk is read into the same memory: the socket's stream would cost 2 to 7 µs a request.
    const callback = (length: number, memory: Uint8Array): boolean => {
      this.#take(Buffer.from(memory.buffer, memory.byteOffset, length));
      return true;
    };
    this.socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: Buffer.alloc(65_536), callback },
    });
  }

  /** `chunk` is overwritten later. */
  #take(chunk: Buffer): void {
    if (this.#left === 0) {
      const head = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) {
        this.#head = Buffer.from(head);
        return;
      }
      this.#head = undefined;
      const text = head.toString('latin1', 0, end);
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      this.#status = Number(text.slice(9, 12));
      if (length === undefined) throw new Error(`An answer has no Content-Length:\n${text}`);
      this.#length = Number(length);
      this.#left = this.#length - (head.length - end - 4);
      this.#body = this.#status < 400 ? [] : [Buffer.from(head.subarray(end + 4))];
    } else {
      this.#left -= chunk.length;
      if (this.#status >= 400) this.#body.push(Buffer.from(chunk));
    }
    if (this.#left < 0) throw new Error('An answer is longer than its Content-Length');
    if (this.#left === 0) this.onAnswer(this.#status, this.#length, () => Buffer.concat(this.#body).toString());
  }
}

let connections: readonly Connection[] = [];

function open(port: number, count: number): Promise<readonly Connection[]> {
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Connection>((resolve, reject) => {
          const connection = new Connection(port);
          const { socket } = connection;
          const fail = (error: Error): void => reject(error);
          socket.once('error', fail).once('connect', () => {
            socket.off('error', fail).on('error', error => {
              throw error;
            });
            resolve(connection);
          });
        }),
    ),
  );
}

/** The bytes of a request, as on the wire. */
function wire({ path, method = 'GET', headers = {}, body }: WireRequest): Buffer {
  const all = {
    Host: 'bench.example',
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}

let turn = 0;
let counter = 0;

/** A request's bytes; a copy where its body is another one each time, since the last one may not be sent yet. */
function bytesOf({ wire, mark }: { readonly wire: Buffer; readonly mark: number }): Buffer {
  if (mark === -1) return wire;
  const own = Buffer.from(wire);
  own.write(String(++counter).padStart(counterMark.length, '0'), mark, 'latin1');
  return own;
}

function run({ requests, duration, rate, status: wanted }: Run): Promise<RunResult> {
  const wires = requests.map(request => {
    const bytes = wire(request);
    return { wire: bytes, mark: request.body === undefined ? -1 : bytes.indexOf(counterMark) };
  });
  const latencies: number[] = [];
  let bytes = 0;
  let failures = 0;
  let firstFailure: string | undefined;
  const { promise, resolve } = Promise.withResolvers<RunResult>();
  const started = performance.now();
  const end = started + duration;
  let busy = 0;
  let timer: NodeJS.Timeout | undefined;

  const finish = (): void => {
    clearInterval(timer);
    const sorted = Float64Array.from(latencies).sort();
    resolve({
      requests: latencies.length,
      seconds: (performance.now() - started) / 1000,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      most: sorted.at(-1) ?? NaN,
      bytes: bytes / latencies.length,
      failures,
      firstFailure,
    });
  };

  /** `at`: when the request was due. */
  const send = (connection: Connection, at: number): void => {
    busy++;
    connection.onAnswer = (status, length, body) => {
      const now = performance.now();
      busy--;
      latencies.push(now - at);
      bytes += length;
      if (status !== wanted) {
        failures++;
        firstFailure ??= `${status} ${requests[0]?.path}: ${body().slice(0, 500)}`;
      }
      if (rate !== undefined) free(connection);
      else if (now < end) send(connection, now);
      else if (busy === 0) finish();
    };
    const next = wires[turn++ % wires.length];
    if (next !== undefined) connection.socket.write(bytesOf(next));
  };

  // At a rate: what is due while all connections are busy waits, and its waiting counts.
  const idle: Connection[] = [];
  const due: number[] = [];
  const free = (connection: Connection): void => {
    const next = due.shift();
    if (next !== undefined) send(connection, next);
    else idle.push(connection);
    if (busy === 0 && performance.now() >= end) finish();
  };
  if (rate === undefined) for (const connection of connections) send(connection, performance.now());
  else {
    idle.push(...connections);
    let sent = 0;
    timer = setInterval(() => {
      const now = performance.now();
      if (now >= end && busy === 0) finish();
      const dueNow = (Math.min(now, end) - started) * (rate / 1000);
      for (; sent < dueNow; sent++) {
        const connection = idle.shift();
        if (connection === undefined) due.push(now);
        else send(connection, now);
      }
    }, 1);
  }
  return promise;
}

process.on('message', (question: ClientQuestion) => {
  void answer(question).then(reply => process.send?.(reply));
});

async function answer(question: ClientQuestion): Promise<unknown> {
  switch (question.kind) {
    case 'connect':
      connections = await open(question.port, question.connections);
      return 'connected';
    case 'run':
      return run(question);
    case 'disconnect':
      for (const { socket } of connections) socket.destroy();
      connections = [];
      return 'disconnected';
    default:
      return question satisfies never;
  }
}

process.on('disconnect', () => process.exit());
process.send?.('ready');
