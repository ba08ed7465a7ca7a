// The description of access for apps: one model, three documents.
// https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html
import { describe, expect, it } from 'vitest';
import { openidConfigurationOf, securityStatement, smartConfigurationOf } from '../../src/auth/smart-configuration.ts';
import { authorizationOffered } from '../../src/auth/offered.ts';
import { supportedScopes } from '../../src/auth/scope-words.ts';
import { loadModel } from '../support/loaded-once.ts';
import { capabilityStatement } from '../../src/model/capability-statement.ts';
import { checkStructure } from '../../src/validation/structure.ts';
import { loadOnly, ours, statement } from '../support/definition-files.ts';

const { model } = await loadModel({ definitions: [] });
if (model === undefined) throw new Error('The shipped definitions are wrong');

const publicUrl = 'https://records.example/ehr';
const offered = authorizationOffered(model, publicUrl);

/** The offer of a model with one type that lists these scopes. */
const offeredWith = async (...scopes: string[]) => {
  const extension = scopes.map(valueString => ours('smart-scope', { valueString }));
  const { model: other } = await loadOnly(statement([{ type: 'Basic', interaction: [{ code: 'read' }], extension }]));
  if (other === undefined) throw new Error('The definitions are wrong');
  return smartConfigurationOf(other, authorizationOffered(other, publicUrl));
};

describe('smart-configuration', () => {
  it('has the endpoints and methods that issue tokens', () => {
    expect(smartConfigurationOf(model, offered)).toEqual({
      issuer: 'https://records.example/ehr/auth',
      jwks_uri: 'https://records.example/ehr/auth/jwks',
      authorization_endpoint: 'https://records.example/ehr/auth/authorize',
      token_endpoint: 'https://records.example/ehr/auth/token',
      introspection_endpoint: 'https://records.example/ehr/auth/introspect',
      revocation_endpoint: 'https://records.example/ehr/auth/revoke',
      grant_types_supported: ['authorization_code', 'client_credentials'],
      response_types_supported: ['code'],
      scopes_supported: supportedScopes(model),
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
      capabilities: [
        'launch-ehr', 'launch-standalone', 'authorize-post',
        'client-public', 'client-confidential-symmetric', 'client-confidential-asymmetric',
        'sso-openid-connect',
        'context-banner', 'context-ehr-patient', 'context-ehr-encounter', 'context-standalone-patient',
        'permission-offline', 'permission-online',
        'permission-v1', 'permission-v2', 'permission-patient', 'permission-user',
      ],
    }); // prettier-ignore
  });

  it('names no launch scope of Observation', () => {
    expect(offered.scopesSupported.join(' ')).not.toMatch(/(?:patient|user)\/(?:Observation|\*)/);
    expect(offered.scopesSupported).toContain('system/Observation.rs');
  });

  it('without an authorization server says what scopes there are, and no address', () => {
    const document = smartConfigurationOf(model, undefined);
    expect(Object.keys(document)).toEqual([
      'grant_types_supported',
      'code_challenge_methods_supported',
      'scopes_supported',
      'capabilities',
    ]);
    expect(document['grant_types_supported']).toEqual([]);
    expect(document['scopes_supported']).toContain('patient/Patient.rs');
    expect(document['scopes_supported']).not.toContain('launch/patient');
    expect(document['capabilities']).toEqual([
      'permission-v1',
      'permission-v2',
      'permission-patient',
      'permission-user',
    ]);
  });

  it('says what the definitions have: systems alone', async () => {
    const document = await offeredWith('system/Basic.r');
    expect(document['scopes_supported']).toEqual(['system/Basic.r']);
    expect(document['grant_types_supported']).toEqual(['client_credentials']);
    expect(document['capabilities']).not.toContain('launch-standalone');
    expect(document).not.toHaveProperty('issuer');
    expect(document).not.toHaveProperty('authorization_endpoint');
  });

  it('says what the definitions have: clinicians alone', async () => {
    const document = await offeredWith('user/Basic.r');
    expect(document['grant_types_supported']).toEqual(['authorization_code']);
    expect(document['scopes_supported']).toEqual([
      'openid',
      'profile',
      'launch',
      'offline_access',
      'online_access',
      'user/Basic.r',
    ]);
    expect(document['capabilities']).toEqual(expect.arrayContaining(['launch-ehr', 'permission-user']));
    for (const absent of ['permission-patient', 'context-standalone-patient', 'sso-openid-connect']) {
      expect(document['capabilities']).not.toContain(absent);
    }
  });
});

describe('the discovery document', () => {
  const discovered = openidConfigurationOf(offered, true);

  it('has what OpenID Connect requires, and agrees with smart-configuration', () => {
    expect(discovered).toMatchObject({
      issuer: 'https://records.example/ehr/auth',
      userinfo_endpoint: 'https://records.example/ehr/auth/userinfo',
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      request_uri_parameter_supported: false,
    });
    const same = Object.entries(smartConfigurationOf(model, offered)).filter(
      ([name]) => !['capabilities', 'grant_types_supported', 'token_endpoint_auth_methods_supported'].includes(name),
    );
    expect(discovered).toMatchObject(Object.fromEntries(same));
  });

  it('has a value for every member', () => {
    expect(Object.entries(discovered).filter(([, value]) => value === undefined)).toEqual([]);
  });
});

describe('what metadata says of security', () => {
  it('is where tokens are issued, in the form of SMART', () => {
    expect(securityStatement(offered)).toMatchObject({
      cors: true,
      service: [{ coding: [{ code: 'SMART-on-FHIR' }] }],
      extension: [
        {
          url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
          extension: [
            { url: 'authorize', valueUri: 'https://records.example/ehr/auth/authorize' },
            { url: 'token', valueUri: 'https://records.example/ehr/auth/token' },
            { url: 'introspect', valueUri: 'https://records.example/ehr/auth/introspect' },
            { url: 'revoke', valueUri: 'https://records.example/ehr/auth/revoke' },
          ],
        },
      ],
    });
  });

  it('leaves the statement one of R4', () => {
    for (const security of [securityStatement(offered), securityStatement(undefined)]) {
      const base = `${publicUrl}/r4/demo`;
      const whole = capabilityStatement(model, { base, date: '2025-11-21T10:00:00Z', security });
      expect(whole['rest']).toEqual([expect.objectContaining({ mode: 'server', security })]);
      expect(checkStructure(whole, model, 'CapabilityStatement')).toEqual([]);
    }
  });

  it('names no address where tokens are issued elsewhere', () => {
    const document = securityStatement(undefined);
    expect(Object.keys(document)).toEqual(['service', 'description']);
    expect(document['description']).not.toContain('http');
  });
});
