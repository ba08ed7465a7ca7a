import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';

/** What tests use of fhirclient, whose own types would bring those of browsers into the whole program. */
const smart = createRequire(import.meta.url)('fhirclient') as (
  request: IncomingMessage,
  response: ServerResponse,
) => { authorize(parameters: object): Promise<unknown>; ready(): Promise<Client> };

export interface Client {
  readonly state: {
    readonly tokenResponse: { readonly access_token: string; readonly refresh_token: string };
    expiresAt: number;
  };
  readonly patient: {
    read(): Promise<unknown>;
    request(query: string, options: object): Promise<readonly { readonly id: string }[]>;
  };
  readonly user: { read(): Promise<unknown> };
  getFhirUser(): string | null;
  request(path: string): Promise<unknown>;
  create(resource: object): Promise<unknown>;
  update(resource: object): Promise<unknown>;
  patch(url: string, patch: readonly object[]): Promise<unknown>;
  delete(url: string): Promise<unknown>;
  refresh(): Promise<unknown>;
}

/** A web application in Node with fhirclient, whose visitor is one browser. */
export interface NodeApp {
  /** Where an EHR starts it, with `iss` and `launch`. */
  readonly launchUrl: string;
  readonly redirectUri: string;
  /** Where fhirclient sends the browser. */
  authorize(parameters: object, query?: Readonly<Record<string, string>>): Promise<string>;
  /** The client after the browser came back. */
  ready(address: string | URL): Promise<Client>;
  close(): Promise<void>;
}

export async function nodeApp(): Promise<NodeApp> {
  const session = {};
  let parameters = {};
  let client: Client | undefined;
  const server = createServer((request, response) => {
    const api = smart(Object.assign(request, { session }), response); // as a middleware for sessions does
    const fail = (error: unknown): void => void response.writeHead(500).end(String(error));
    if (request.url?.startsWith('/launch') === true) void api.authorize(parameters).catch(fail);
    else
      api.ready().then(made => {
        client = made;
        response.end();
      }, fail);
  }).listen(0, 'localhost');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    launchUrl: `${url}/launch`,
    redirectUri: `${url}/callback`,
    async authorize(given, query = {}) {
      parameters = given;
      const response = await fetch(`${url}/launch?${new URLSearchParams(query).toString()}`, { redirect: 'manual' });
      const { status, headers } = response;
      const location = headers.get('location');
      if (location === null) throw new Error(`Answered ${status}: ${await response.text()}`);
      return location;
    },
    async ready(address) {
      client = undefined;
      const response = await fetch(address);
      if (client === undefined) throw new Error(await response.text());
      return client;
    },
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
