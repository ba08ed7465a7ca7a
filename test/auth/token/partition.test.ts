// Which partition a token of an external issuer is for.
import { describe, expect, it } from 'vitest';
import { TokenRefused } from '../../../src/auth/claims.ts';
import { readExternalClaims } from '../../../src/auth/token/external-claims.ts';
import { usualClaims } from '../../../src/auth/token/settings.ts';
import type { IssuerSettings } from '../../../src/auth/token/settings.ts';
import { baseOf } from './support/verifier.ts';

const settings = (more: Partial<IssuerSettings>): IssuerSettings => ({
  issuer: 'https://issuer.example',
  partitions: ['clinic', 'lab'],
  audiences: undefined,
  types: ['jwt'],
  claims: usualClaims,
  scopeNames: new Map(),
  keysUrl: undefined,
  clockSkew: 0,
  introspection: undefined,
  privateAddresses: false,
  authorities: undefined,
  ...more,
});

/** The partition, or why the token is refused. */
function partitionOf(more: Partial<IssuerSettings>, payload: Record<string, unknown>): string {
  try {
    return readExternalClaims({ client_id: 'app', ...payload }, settings(more), baseOf, 0).partition;
  } catch (error) {
    if (error instanceof TokenRefused) return error.message;
    throw error;
  }
}

const named = { audiences: ['api', 'other-api'], claims: { ...usualClaims, partition: 'site' } };
const single = { audiences: ['api'], partitions: ['clinic'] };
const noneOrSeveral = 'The token names no partition, or several.';
const notServed = 'The issuer of the token does not serve this partition.';
const audience = 'The token is for another audience.';

describe('the partition of a token', () => {
  it.each<[title: string, settings: Partial<IssuerSettings>, payload: Record<string, unknown>, is: string]>([
    ['by its base URL', {}, { aud: baseOf('lab') }, 'lab'],
    ['by one among others', {}, { aud: ['account', baseOf('lab'), 'x'] }, 'lab'],
    ['by the same twice', {}, { aud: [baseOf('lab'), baseOf('lab')] }, 'lab'],
    ['by two', {}, { aud: [baseOf('lab'), baseOf('clinic')] }, noneOrSeveral],
    ['with only one that is served', {}, { aud: [baseOf('lab'), baseOf('east')] }, 'lab'],
    ['that is not served', {}, { aud: baseOf('east') }, audience],
    ['though a claim says so', {}, { aud: 'api', site: 'lab' }, audience],
    ['by a claim', named, { aud: 'api', site: 'lab' }, 'lab'],
    ['by a claim that is a list of one', named, { aud: ['other-api'], site: ['lab'] }, 'lab'],
    ['by a claim that is missing', named, { aud: 'api' }, noneOrSeveral],
    ['by a claim that is empty', named, { aud: 'api', site: '' }, noneOrSeveral],
    ['by a claim that names two', named, { aud: 'api', site: 'lab clinic' }, noneOrSeveral],
    ['by a claim that is a list of two', named, { aud: 'api', site: ['lab', 'clinic'] }, noneOrSeveral],
    ['by a claim that names another', named, { aud: 'api', site: 'east' }, notServed],
    ['by a claim, for another audience', named, { aud: 'x', site: 'lab' }, audience],
    ['by a claim, for the base URL in place of the audience', named, { aud: baseOf('lab'), site: 'lab' }, audience],
    ['by a claim that is a number', named, { aud: 'api', site: 1 }, 'A claim of the token cannot be read.'],
    ['that is the only one', single, { aud: 'api' }, 'clinic'],
    ['that is the only one, for another audience', single, { aud: baseOf('clinic') }, audience],
  ])('%s', (_, more, payload, is) => {
    expect(partitionOf(more, payload)).toBe(is);
  });
});
