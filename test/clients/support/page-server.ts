import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

/** Serves an empty page and clients as they are published for browsers, under an origin of its own. */
export interface PageServer {
  /** The page: `http://localhost:PORT/`, beside which are `fhirclient.js` and `medplum.mjs`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function pageServer(): Promise<PageServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const [type, script] = scripts[pathname] ?? ['text/html', undefined];
    response.setHeader('Content-Type', type);
    if (script === undefined) response.end(page);
    else createReadStream(script).pipe(response);
  }).listen(0, 'localhost');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const page = '<!doctype html><html lang="en"><title>An app</title>';

const { resolve } = createRequire(import.meta.url);
const scripts: Readonly<Record<string, readonly [type: string, file: string]>> = {
  '/fhirclient.js': ['text/javascript', join(dirname(resolve('fhirclient')), '../../build/fhir-client.min.js')],
  '/medplum.mjs': ['text/javascript', join(dirname(resolve('@medplum/core')), '../esm/index.mjs')],
};
