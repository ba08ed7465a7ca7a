import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Served } from '../support/serve.ts';

/** A request as the proxy received it; a plant may change what is passed on. */
export interface Asked {
  method: string;
  /** Below the base URL: `Patient?name=a`. */
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** An answer of the server; a plant may change what the tester receives. */
export interface Given {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** A fault between the tester and a server. */
export interface Plant {
  readonly request?: (asked: Asked) => void;
  /** `asked` is as it was received, without the change of the request. */
  readonly answer?: (given: Given, asked: Asked) => void;
}

export interface Proxy {
  readonly base: string;
  plant: Plant;
  close(): Promise<void>;
}

/** A proxy before a server, which answers under its own URL, and does transactions by single requests. */
export async function faultyProxy(served: Served): Promise<Proxy> {
  const server = createServer((request, response) => {
    void answer(request).then(({ status, headers, text }) => {
      response.writeHead(status, headers).end(status === 304 || status === 204 ? undefined : text);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const base = `http://127.0.0.1:${port}/r4/demo`;
  const renamed = (text: string, from: string, to: string): string =>
    text.replaceAll(from, to).replaceAll(encodeURIComponent(from), encodeURIComponent(to));
  const pass = async ({ method, path, headers, body }: Asked): Promise<Given> => {
    const target = path === '' || path.startsWith('?') ? path : `/${path}`;
    const sent = { headers, ...(body === '' ? {} : { body: renamed(body, base, served.base) }) };
    const given = await served.ask(method, renamed(target, base, served.base), sent);
    const shown = Object.fromEntries(
      Object.entries(given.headers).flatMap(([name, value]) =>
        passedOn.has(name) && typeof value === 'string' ? [[name, renamed(value, served.base, base)]] : [],
      ),
    );
    return { status: given.status, headers: shown, text: renamed(given.text, served.base, base) };
  };
  const proxy: Proxy = { base, plant: {}, close: () => new Promise(resolve => void server.close(() => resolve())) };
  const answer = async (request: IncomingMessage): Promise<Given> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer); // no encoding is set
    const { accept = '', prefer, authorization, ...headers } = request.headers;
    const wanted = Object.fromEntries(
      ['content-type', 'if-match', 'if-none-match', 'if-modified-since', 'if-none-exist'].flatMap(name =>
        typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
      ),
    );
    const asked: Asked = {
      method: request.method ?? '',
      path: (request.url ?? '').slice('/r4/demo'.length).replace(/^\//, ''),
      headers: {
        accept,
        ...(typeof prefer === 'string' ? { prefer } : {}),
        ...(authorization === undefined ? {} : { authorization }),
        ...wanted,
      },
      body: Buffer.concat(chunks).toString(),
    };
    const received = { ...asked };
    proxy.plant.request?.(asked);
    const isTransaction = asked.method === 'POST' && asked.path === '' && asked.body.includes('"transaction"');
    const given = isTransaction ? await transaction(asked, pass) : await pass(asked);
    if (asked.path.startsWith('metadata')) given.text = given.text.replace('{"code":"batch"}', both);
    proxy.plant.answer?.(given, received);
    return given;
  };
  return proxy;
}

const both = '{"code":"batch"},{"code":"transaction"}';
const passedOn: ReadonlySet<string> = new Set(['content-type', 'etag', 'last-modified', 'location', 'retry-after']);

interface TransactionEntry {
  readonly fullUrl?: string;
  readonly resource: object;
  readonly request: { readonly method: string; readonly url: string; readonly ifMatch?: string };
}

/** Creates, of which none is made if an update would fail. */
async function transaction(asked: Asked, pass: (asked: Asked) => Promise<Given>): Promise<Given> {
  const { entry } = JSON.parse(asked.body) as { entry: readonly TransactionEntry[] };
  const headers = { 'content-type': 'application/fhir+json' };
  if (entry.some(({ request }) => request.ifMatch !== undefined)) {
    const text = JSON.stringify({ resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'conflict' }] });
    return { status: 412, headers, text };
  }
  const made = new Map<string, string>();
  const answers = [];
  for (const { fullUrl = '', resource, request } of entry) {
    let body = JSON.stringify(resource);
    for (const [from, to] of made) body = body.replaceAll(from, to);
    const { status, headers: of } = await pass({ ...asked, path: request.url, body });
    const location = of['location'] ?? '';
    made.set(fullUrl, location.split('/').slice(-4, -2).join('/'));
    answers.push({ response: { status: String(status), location } });
  }
  const text = JSON.stringify({ resourceType: 'Bundle', type: 'transaction-response', entry: answers });
  return { status: 200, headers, text };
}
