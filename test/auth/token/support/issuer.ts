import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import type { CryptoKey, JWK, JWTHeaderParameters, JWTPayload } from 'jose';
import { selfSigned } from '../../../support/certificate.ts';

/** A key of an issuer, both halves. */
export interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly secret: CryptoKey;
  /** As in the JWKS. */
  readonly open: JWK;
}

/** The parts of an authorization server that a resource server uses, over real HTTPS. */
export interface TestIssuer {
  /** Its origin, and the path that was asked for. */
  readonly url: string;
  /** PEM. */
  readonly certificate: string | undefined;
  /** In its JWKS now. */
  keys: Key[];
  /** How it answers otherwise than it should, by path. */
  readonly instead: Map<string, RequestListener>;
  /** Paths that were asked for, in order. */
  readonly asked: string[];
  /** What introspection answers, by token. */
  readonly opaque: Map<string, Record<string, unknown>>;
  /** Credentials that came with the last introspection. */
  credentials(): string | undefined;
  sign(claims: JWTPayload, header?: Partial<JWTHeaderParameters>, key?: Key): Promise<string>;
  close(): Promise<void>;
}

/** Starts one on a free port of this machine; `path` is that of its issuer URL (`/realms/clinic`). */
export async function startIssuer(path = '', { plain = false } = {}): Promise<TestIssuer> {
  const asked: string[] = [];
  const instead = new Map<string, RequestListener>();
  const opaque = new Map<string, Record<string, unknown>>();
  let credentials: string | undefined;
  const issuer = { url: '', keys: [await makeKey('RS256')] };

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = request.url ?? '';
    asked.push(url);
    const other = instead.get(url);
    if (other !== undefined) {
      other(request, response);
      return;
    }
    if (url === `${path}/.well-known/openid-configuration`) return json(response, discovery(issuer.url));
    if (url === `${path}/keys`) return json(response, { keys: issuer.keys.map(({ open }) => open) });
    if (url === `${path}/introspect`) {
      credentials = request.headers.authorization;
      void text(request).then(body => {
        json(response, opaque.get(new URLSearchParams(body).get('token') ?? '') ?? { active: false });
      });
      return;
    }
    response.writeHead(404).end();
  };
  const certificate = plain ? undefined : selfSigned('localhost');
  const server = certificate === undefined ? createHttpServer(answer) : createHttpsServer(certificate, answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  issuer.url = `${plain ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;

  return Object.assign(issuer, {
    certificate: certificate?.cert,
    instead,
    asked,
    opaque,
    credentials: () => credentials,
    sign: (claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}, key: Key = issuer.keys[0] as Key) =>
      sign({ iss: issuer.url, ...claims }, header, key),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  });
}

/** A JWT with these claims; times that are left out are good for five minutes. */
export function sign(
  claims: JWTPayload,
  header: Partial<JWTHeaderParameters>,
  { secret, kid, alg }: Key,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
    .sign(secret);
}

let count = 0;

export async function makeKey(alg: string, kid = `key-${++count}`): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, secret: privateKey, open: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

function discovery(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    introspection_endpoint: `${issuer}/introspect`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

export function json(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function text(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
