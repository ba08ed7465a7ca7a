// What Inferno's SMART App Launch kit (suite smart_stu2_2) checks of discovery, one test for each.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../support/certificate.ts';
import { fetchAsKit } from './support/inferno.ts';
import type { Fetched } from './support/inferno.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

let server: Authorizing;
let answer: Fetched;
beforeAll(async () => {
  server = await authorizing();
  const headers = { Accept: 'application/json' };
  answer = await fetchAsKit(server, `${server.base}/.well-known/smart-configuration`, headers);
});
afterAll(() => server.close());

const strings = expect.arrayContaining([expect.any(String)]);

describe('discovery', () => {
  it('GET {base}/.well-known/smart-configuration with Accept: application/json is 200 and JSON', () => {
    expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json/)]);
    expect(answer.json).toEqual(expect.any(Object));
  });

  it('authorization_endpoint and token_endpoint are strings', () => {
    expect(answer.json).toMatchObject({
      authorization_endpoint: `${server.issuer}/authorize`,
      token_endpoint: `${server.issuer}/token`,
    });
  });

  it.each(['capabilities', 'grant_types_supported', 'code_challenge_methods_supported'])(
    '%s is an array that is not empty',
    name => {
      expect(answer.json[name]).toEqual(strings);
      expect(answer.json[name].length).toBeGreaterThan(0);
    },
  );

  it('grant_types_supported contains authorization_code', () => {
    expect(answer.json.grant_types_supported).toContain('authorization_code');
  });

  it('code_challenge_methods_supported contains S256, lacks plain', () => {
    expect(answer.json.code_challenge_methods_supported).toContain('S256');
    expect(answer.json.code_challenge_methods_supported).not.toContain('plain');
  });

  it('with sso-openid-connect issuer and jwks_uri are strings', () => {
    expect(answer.json.capabilities).toContain('sso-openid-connect');
    expect(answer.json).toMatchObject({ issuer: server.issuer, jwks_uri: `${server.issuer}/jwks` });
  });

  it('every capability is a string', () => {
    const { capabilities } = answer.json;
    expect(capabilities.filter((one: unknown) => typeof one !== 'string')).toEqual([]);
  });

  it('(opt) smart-configuration with Origin is 200 with Access-Control-Allow-Origin', async () => {
    const headers = { Origin: 'https://inferno.example' };
    const again = await fetchAsKit(server, `${server.base}/.well-known/smart-configuration`, headers);
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([200, '*']);
  });

  it('(opt) metadata with Origin is a CapabilityStatement with Access-Control-Allow-Origin', async () => {
    const metadata = await fetchAsKit(server, `${server.base}/metadata`, { Origin: 'https://inferno.example' });
    expect([metadata.status, metadata.json.resourceType]).toEqual([200, 'CapabilityStatement']);
    expect(metadata.headers['access-control-allow-origin']).toBe('*');
    const [{ url, extension }] = metadata.json.rest[0].security.extension;
    expect(url).toBe('http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris');
    expect(extension).toContainEqual({ url: 'token', valueUri: `${server.issuer}/token` });
  });
});

describe('over https', () => {
  let folder: string;
  let secure: Authorizing;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'inferno-'));
    const { cert, key } = selfSigned('localhost');
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    await writeFile(files.cert, cert);
    await writeFile(files.key, key);
    secure = await authorizing({ flags: ['--tls-cert', files.cert, '--tls-key', files.key] });
  });
  afterAll(async () => {
    await secure.close();
    await rm(folder, { recursive: true });
  });

  /** The version that is agreed on; the error where there is none. */
  const agreed = (version: SecureVersion): Promise<string> =>
    new Promise(resolve => {
      const only = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' } as const;
      const socket = connect({ port: secure.ports[0], host: '127.0.0.1', rejectUnauthorized: false, ...only }, () => {
        resolve(socket.getProtocol() ?? 'none');
        socket.destroy();
      });
      socket.on('error', () => resolve('refused'));
    });

  it('TLS is 1.2 at least, at the authorize and the token endpoint', async () => {
    expect(await Promise.all((['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const).map(agreed))).toEqual([
      'refused',
      'refused',
      'TLSv1.2',
      'TLSv1.3',
    ]);
    expect(secure.issuer).toMatch(/^https:/);
  });
});
