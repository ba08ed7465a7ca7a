import { decodeProtectedHeader, decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendToken, launchApp, read, usualScope } from './support/flow.ts';
import { authorizing } from './support/server.ts';
import type { Authorizing } from './support/server.ts';

// https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html
let server: Authorizing;
beforeAll(async () => {
  server = await authorizing();
});
afterAll(() => server.close());

describe('a standalone launch', () => {
  it.each(['app', 'secret-app', 'signing-app'])('gives %s a token for the patient who was chosen', async client => {
    const { status, headers, json } = await launchApp(server, { client, patient: 'bob' });
    expect(server.faults).toEqual([]);
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^crs_[A-Za-z0-9_-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: usualScope,
      refresh_token: expect.any(String),
      id_token: expect.any(String),
      patient: 'bob',
      need_patient_banner: true,
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await read(server, json.access_token, '/Patient/bob')).status).toBe(200);
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(404);
    expect(decodeProtectedHeader(json.id_token).alg).toBe('RS256');
    expect(decodeJwt(json.id_token)).toMatchObject({
      iss: server.issuer,
      sub: 'clinician',
      aud: client,
      fhirUser: `${server.base}/Practitioner/dr`,
    });
    expect(server.faults).toEqual([]);
  });
});

describe('a backend service', () => {
  it('gets a token by signing with its key', async () => {
    const { status, headers, json } = await backendToken(server);
    expect(status).toBe(200);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^crs_/),
      token_type: 'bearer',
      expires_in: 300,
      scope: 'system/Patient.rs',
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await read(server, json.access_token, '/Patient/ann')).status).toBe(200);
  });
});
