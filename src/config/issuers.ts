import { usualClaims } from '../auth/token/settings.ts';
import type { ClaimNames, IssuerSettings } from '../auth/token/settings.ts';
import { Fields, isObject } from './fields.ts';
import { partitionId } from './values.ts';

/** The key of the settings file under which external issuers stand: a list of objects. */
export const issuersKey = 'issuers';

/** Reads a file that an issuer's settings name. */
export type ReadFile = (path: string) => string;

/**
 * The issuers of a settings file: the value of its key `issuers`. Problems are told with the file's name, one whole sentence
 * each. Secrets are never quoted.
 */
export function readIssuers(
  value: unknown,
  file: string,
  problems: string[],
  readFile: ReadFile,
): readonly IssuerSettings[] {
  if (!Array.isArray(value) || !value.every(isObject)) {
    problems.push(`\`${issuersKey}\` in ${file} must be a list of objects.`);
    return [];
  }
  const issuers = value.flatMap((item, index) => {
    const found: string[] = [];
    const issuer = readIssuer(new Fields(item, `${issuersKey}[${index}]`, file, found), readFile);
    problems.push(...found);
    return found.length === 0 ? [issuer] : [];
  });
  const twice = issuers.find(({ issuer }, index) => issuers.findIndex(other => other.issuer === issuer) < index);
  if (twice !== undefined) problems.push(`\`${issuersKey}\` in ${file} names \`${twice.issuer}\` twice.`);
  return issuers;
}

function readIssuer(fields: Fields, readFile: ReadFile): IssuerSettings {
  const issuer = fields.text('issuer', issuerUrl) ?? '';
  const partitions = fields.texts('partitions', partitionId) ?? [];
  const audiences = fields.texts('aud', given);
  const types = fields.texts('typ', given) ?? ['at+jwt'];
  const claims = readClaims(fields.inner('claims'));
  const scopeNames = fields.inner('scopes');
  const keysUrl = fields.text('jwks', issuerUrl);
  const skew = fields.number('clock-skew', 0, 300) ?? 30;
  const introspection = readIntrospection(fields.inner('introspection'), readFile);
  const privateAddresses = fields.truth('private-addresses') ?? false;
  const authorities = fields.text('ca', path => readFile(path));

  fields.require('issuer', ': exactly what the `iss` of the tokens says.');
  fields.require('partitions', ': the ids of the partitions that it may serve.');
  if (audiences === undefined && claims.partition !== undefined) {
    fields.problem(
      'claims',
      'names a `partition`, which counts only beside `aud`: without it the partition follows from the base URL in the token.',
    );
  }
  if (audiences !== undefined && partitions.length > 1 && claims.partition === undefined) {
    fields.problem(
      'partitions',
      'holds several, and `aud` is set: name the claim that says which one, as `partition` in `claims`.',
    );
  }
  fields.end();
  return {
    issuer,
    partitions,
    audiences,
    types: types.map(type => type.toLowerCase().replace(/^application\//, '')),
    claims,
    scopeNames: new Map(scopeNames?.names().map(word => [word, scopeNames.text(word, oneScope) ?? ''])),
    keysUrl,
    clockSkew: skew * 1000,
    introspection,
    privateAddresses,
    authorities,
  };
}

function readClaims(fields: Fields | undefined): ClaimNames {
  const claims = {
    client: fields?.texts('client', given) ?? usualClaims.client,
    subject: fields?.texts('subject', given) ?? usualClaims.subject,
    scope: fields?.texts('scope', given) ?? usualClaims.scope,
    patient: fields?.texts('patient', given) ?? usualClaims.patient,
    fhirUser: fields?.texts('fhirUser', given) ?? usualClaims.fhirUser,
    partition: fields?.text('partition', given),
  };
  fields?.end();
  return claims;
}

function readIntrospection(fields: Fields | undefined, readFile: ReadFile): IssuerSettings['introspection'] {
  if (fields === undefined) return undefined;
  const client = fields.text('client', given);
  const secret = fields.text('secret', given) ?? fields.text('secret-file', path => given(readFile(path).trim()));
  fields.require('client', ': the client id of this service at the issuer.');
  if (!fields.has('secret-file')) fields.require('secret', '; `secret-file` names a file that holds it.');
  fields.end();
  return { client: client ?? '', secret: secret ?? '' };
}

function given(text: string): string {
  if (text.trim() === '') throw new Error('is empty.');
  return text;
}

function oneScope(text: string): string {
  if (/^[!#-[\]-~]+$/.test(text)) return text; // https://www.rfc-editor.org/rfc/rfc6749#section-3.3
  throw new Error(`is \`${text}\`, but must be one scope, such as \`user/Observation.rs\`.`);
}

/** Kept as it is written, since it is compared with what tokens say. */
function issuerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && url.hash === '' && url.username === '' && url.password === '';
  if (plain && /^https?:\/\/[^\s]+$/.test(text)) return text;
  throw new Error(`is \`${text.replace(/\/\/[^/]*@/, '//…@')}\`, but must be an https URL.`);
}
