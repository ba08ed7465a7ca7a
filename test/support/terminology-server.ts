import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a terminology server does with a question: codes that it says are in, or something else that it answers. */
export type Behaviour =
  | { readonly in: readonly string[] }
  | { readonly status?: number; readonly body?: unknown; readonly text?: string }
  | 'silence';

/**
 * A small FHIR terminology server that speaks operations of ValueSet, and keeps what it was sent, byte for byte. It
 * closes with the test, or where `atEnd` decides.
 */
export async function terminologyServer(first: Behaviour, atEnd: (close: () => void) => void = onTestFinished) {
  const received: { readonly path: string; readonly query: Readonly<Record<string, string>>; readonly all: string }[] =
    [];
  let behaviour = first;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const query = Object.fromEntries(url.searchParams);
      received.push({ path: url.pathname, query, all: [request.url, ...request.rawHeaders, body].join('\n') });
      if (behaviour === 'silence') return;
      const { status, text } = 'in' in behaviour ? { status: 200, text: undefined } : behaviour;
      const answer = 'in' in behaviour ? result(behaviour.in.includes(query['code'] ?? '')) : (behaviour.body ?? {});
      response.writeHead(status ?? 200, { 'content-type': 'application/fhir+json' });
      response.end(text ?? JSON.stringify(answer));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/r4`,
    received,
    behave(next: Behaviour): void {
      behaviour = next;
    },
  };
}

/** Parameters that say whether a code is in; with a message and issues where it is not. */
export const result = (found: boolean, ...more: readonly object[]) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'result', valueBoolean: found }, ...more],
});
