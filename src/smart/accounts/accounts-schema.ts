import { texts } from '../../config/schema.ts';
import type { FromSchema, Schema } from '../../config/schema.ts';

const partitions = texts({ format: 'partition-id' }, 'ids of the partitions for which the account is valid');
const name = { type: 'string', format: 'display-name', description: 'display name', defaultNote: 'the id' } as const;

/** An entry of `clients`. */
export const clientSchema = {
  type: 'object',
  required: ['id', 'kind'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', format: 'client-id', description: 'its client id' },
    name,
    kind: { enum: ['public', 'symmetric', 'asymmetric'], description: '`public`, `symmetric` or `asymmetric`' },
    flows: {
      type: 'array',
      items: { enum: ['app', 'backend'] },
      minItems: 1,
      description: '`app` acts for users, `backend` without a user',
      defaultNote: '`app`',
    },
    partitions,
    scopes: texts({ format: 'scopes' }, 'what it may request; several in one text are separated by spaces'),
    'redirect-uris': texts({ format: 'redirect-uri' }, 'where its users are sent with a code'),
    'launch-urls': texts({ format: 'web-url' }, 'where an EHR launch begins'),
    origins: texts(
      { format: 'web-origin' },
      'origins of pages that send requests, in addition to those of the redirect URIs',
    ),
    'response-iss': {
      type: 'boolean',
      description: 'whether authorization responses have `iss`',
      default: true,
    },
    jwks: { type: 'object', description: 'its public keys, as a JSON Web Key Set' },
    'jwks-file': { type: 'string', format: 'keys-file', description: 'a file of the same' },
    'jwks-url': { type: 'string', format: 'web-url', description: 'the URL of the same' },
    'secret-digests': texts(
      { format: 'secret-digest' },
      'digests of its secrets, as `client add --for-file` prints them',
    ),
    'secret-file': texts({ format: 'secret-file' }, 'files that hold a secret of at least 32 characters'),
  },
} as const satisfies Schema;

/** An entry of `users`. */
export const userSchema = {
  type: 'object',
  required: ['id', 'password'],
  additionalProperties: false,
  properties: {
    id: { type: 'string', format: 'user-id', description: 'the name that is typed to sign in' },
    name,
    password: { type: 'string', format: 'password-hash', description: 'what `user add --for-file` prints' },
    partitions,
    'fhir-user': {
      type: ['string', 'object'],
      format: 'fhir-user',
      additionalProperties: { type: 'string', format: 'fhir-user' },
      description: 'the resource of the user, or an object from partition to resource',
    },
  },
} as const satisfies Schema;

/** The content of a file of clients and users. */
export const accountsSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { clients: { type: 'array', items: clientSchema }, users: { type: 'array', items: userSchema } },
} as const satisfies Schema;

export type AccountsContent = FromSchema<typeof accountsSchema>;
export type ClientEntry = FromSchema<typeof clientSchema>;
export type UserEntry = FromSchema<typeof userSchema>;
