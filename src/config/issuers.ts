import { usualClaims } from '../auth/token/settings.ts';
import type { IssuerSettings } from '../auth/token/settings.ts';
import type { Formats, Problem } from './check.ts';
import { texts } from './schema.ts';
import type { FromSchema, Schema } from './schema.ts';
import { partitionId } from './values.ts';

/** The key of external issuers in the settings file: a list of objects. */
export const issuersKey = 'issuers';

/** Reads a file that an issuer's settings name. */
export type ReadFile = (path: string) => string;

const claimNames = { type: 'string', format: 'given' } as const;

/** An entry of `issuers`. */
export const issuerSchema = {
  type: 'object',
  required: ['issuer', 'partitions'],
  additionalProperties: false,
  properties: {
    issuer: { type: 'string', format: 'issuer-url', description: 'exactly the `iss` of its tokens' },
    partitions: texts({ format: 'partition-id' }, 'ids of the partitions for which its tokens are accepted'),
    aud: {
      ...texts({ format: 'given' }, 'one or several; the token must name one of them'),
      defaultNote: 'the base URL of the partition',
    },
    typ: {
      ...texts({ format: 'given' }, 'accepted `typ` of the header; `none` if it may be absent'),
      defaultNote: '`at+jwt`',
    },
    claims: {
      type: 'object',
      additionalProperties: false,
      properties: {
        client: texts(claimNames, 'the client id'),
        subject: texts(claimNames, 'the user'),
        scope: texts(claimNames, 'the scopes'),
        patient: texts(claimNames, 'the patient in context'),
        fhirUser: texts(claimNames, 'the resource of the user'),
        partition: { type: 'string', format: 'given', description: 'the partition' },
      },
      description:
        'the names of top-level claims (dots are part of a name); of several names the first present ' +
        'claim is used, for `scope` all of them. `partition` is required if `aud` is set and there are ' +
        'several partitions; a token that names none of them, or several, is rejected',
      defaultNote:
        '`client`: `client_id`, `azp`, `cid`, `appid`; `subject`: `sub`; `scope`: `scope`, `scp`; ' +
        '`patient`; `fhirUser`; `partition`: none',
    },
    scopes: {
      type: 'object',
      additionalProperties: { type: 'string', format: 'one-scope' },
      description: "map from the issuer's name of a scope to the scope",
      defaultNote: 'none',
    },
    jwks: { type: 'string', format: 'issuer-url', description: 'URL of its keys', defaultNote: 'by discovery' },
    'clock-skew': {
      type: 'number',
      minimum: 0,
      maximum: 300,
      default: 30,
      description: 'seconds by which its clock may differ',
    },
    introspection: {
      type: 'object',
      required: ['client'],
      additionalProperties: false,
      properties: {
        client: { type: 'string', format: 'given', description: 'the client id of this service at the issuer' },
        secret: {
          type: 'string',
          format: 'given',
          description: 'the secret of this client; `secret-file` names a file that holds it',
        },
        'secret-file': { type: 'string', format: 'given-file', description: 'a file that holds the secret' },
      },
      anyOf: [{ required: ['secret'] }, { required: ['secret-file'] }],
      description: '`client` and `secret` (or `secret-file`) with which this service introspects opaque tokens',
      defaultNote: 'none',
    },
    'private-addresses': {
      type: 'boolean',
      default: false,
      description: 'whether it may be on a private network or on this machine; link-local addresses are never allowed',
    },
    ca: {
      type: 'string',
      format: 'file',
      description: 'file of certificates (PEM) that verify its own',
      defaultNote: 'those of Node',
    },
  },
} as const satisfies Schema;

/** The value of `issuers`. */
export const issuersSchema = { type: 'array', items: issuerSchema } as const satisfies Schema;

type Issuer = FromSchema<typeof issuerSchema>;

/** The readers that the schema names. */
export const issuerFormats = (readFile: ReadFile): Formats => ({
  given,
  'given-file': path => given(readFile(path).trim()),
  file: readFile,
  'issuer-url': issuerUrl,
  'one-scope': oneScope,
  'partition-id': partitionId,
});

/** The contradictions in issuers that fit the schema. */
export function issuerProblems(issuers: readonly Issuer[]): readonly Problem[] {
  return issuers.flatMap(({ issuer, partitions, aud, claims }, index) => {
    const problems: Problem[] = [];
    const add = (key: string, text: string): unknown => problems.push({ place: [issuersKey, index, key], text });
    if (aud === undefined && claims?.partition !== undefined) {
      add(
        'claims',
        'names a `partition`, which requires `aud`: without it the partition follows from the base URL in the token.',
      );
    }
    if (aud !== undefined && partitions.length > 1 && claims?.partition === undefined) {
      add(
        'partitions',
        'has several partitions, and `aud` is set: name the claim with the partition, as `partition` in `claims`.',
      );
    }
    if (issuers.findIndex(other => other.issuer === issuer) < index)
      problems.push({ place: [issuersKey], text: `names \`${issuer}\` twice.` });
    return problems;
  });
}

/** The settings of an issuer that fits the schema. */
export function readIssuer(given: Issuer, readFile: ReadFile): IssuerSettings {
  const { typ = ['at+jwt'], claims, scopes = {}, introspection, ca } = given;
  return {
    issuer: given.issuer,
    partitions: given.partitions,
    audiences: given.aud,
    types: typ.map(type => type.toLowerCase().replace(/^application\//, '')),
    claims: { ...usualClaims, ...claims },
    scopeNames: new Map(Object.entries(scopes)),
    keysUrl: given.jwks,
    clockSkew: (given['clock-skew'] ?? 30) * 1000,
    introspection: introspection && {
      client: introspection.client,
      secret: introspection.secret ?? readFile(introspection['secret-file'] ?? '').trim(),
    },
    privateAddresses: given['private-addresses'] ?? false,
    authorities: ca === undefined ? undefined : readFile(ca),
  };
}

function given(text: string): string {
  if (text.trim() === '') throw new Error('is empty.');
  return text;
}

function oneScope(text: string): string {
  if (/^[!#-[\]-~]+$/.test(text)) return text; // https://www.rfc-editor.org/rfc/rfc6749#section-3.3
  throw new Error(`is \`${text}\`, but must be one scope, such as \`user/*.rs\`.`);
}

/** Stored as written, since it is compared with the claims of tokens. */
function issuerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && url.hash === '' && url.username === '' && url.password === '';
  if (plain && /^https?:\/\/[^\s]+$/.test(text)) return text;
  throw new Error(`is \`${text.replace(/\/\/[^/]*@/, '//…@')}\`, but must be an https URL.`);
}
