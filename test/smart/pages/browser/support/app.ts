import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An app on a server of its own: it launches, exchanges the code, and shows the patient on a page of another origin.
 */
export interface TestApp {
  readonly redirectUri: string;
  readonly launchUrl: string;
  close(): Promise<void>;
}

/** Of the service: found by its `.well-known`, as `iss` says. */
export async function openApp(): Promise<TestApp> {
  const verifier = randomBytes(32).toString('base64url');
  let endpoints = { authorization_endpoint: '', token_endpoint: '' };
  let iss = '';
  let shown = '';
  const server = createServer((request, response) => {
    void answer(new URL(request.url ?? '/', `http://${request.headers.host}`)).then(({ location, html }) => {
      if (location !== undefined) response.writeHead(302, { Location: location }).end();
      else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const origin = `http://127.0.0.1:${port}`;
  const redirectUri = `${origin}/callback`;

  const answer = async ({ pathname, searchParams }: URL): Promise<{ location?: string; html?: string }> => {
    if (pathname === '/launch') {
      iss = searchParams.get('iss') ?? '';
      endpoints = (await (await fetch(`${iss}/.well-known/smart-configuration`)).json()) as typeof endpoints;
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: 'growth',
        redirect_uri: redirectUri,
        scope: 'openid fhirUser launch offline_access patient/Patient.rs patient/Condition.rs user/Media.c',
        state: 'x',
        aud: iss,
        launch: searchParams.get('launch') ?? '',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      return { location: `${endpoints.authorization_endpoint}?${query.toString()}` };
    }
    if (pathname === '/callback') {
      const error = searchParams.get('error');
      shown = error ?? (await dataFor(searchParams.get('code') ?? ''));
      return { location: `http://localhost:${port}/done` }; // another origin, as apps have it
    }
    return { html: `<!doctype html><html lang="en"><title>App</title><h1 id="data">${shown}</h1></html>` };
  };

  const dataFor = async (code: string): Promise<string> => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: 'growth',
      code_verifier: verifier,
    });
    const token = (await (await fetch(endpoints.token_endpoint, { method: 'POST', body })).json()) as Record<
      string,
      string
    >;
    const headers = { Authorization: `Bearer ${token['access_token']}` };
    const patient = (await (await fetch(`${iss}/Patient/${token['patient']}`, { headers })).json()) as {
      name: { family: string; given: string[] }[];
    };
    return (
      `${patient.name[0]?.given.join(' ')} ${patient.name[0]?.family}; ` +
      `${token['scope']?.includes('offline_access')}`
    );
  };

  return {
    redirectUri,
    launchUrl: `${origin}/launch`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
