import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { IssueCode } from '../fhir/outcome.ts';

/** The protection space of a token: `realm` is the base URL of the partition. */
export type Realm = string;

/** The request has no token. https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export const tokenMissing = (realm: Realm): FhirError =>
  refusal(401, 'login', 'An access token is required: send the header `Authorization: Bearer {token}`.', realm, {});

/** The token is not valid here; `why` is a sentence. https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export const tokenRefused = (realm: Realm, why: string): FhirError =>
  refusal(401, 'login', why, realm, { error: 'invalid_token' });

/** The token was not sent in the required way. https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export const tokenMisplaced = (realm: Realm, why: string): FhirError =>
  refusal(400, 'invalid', why, realm, { error: 'invalid_request' });

/**
 * The token is valid, but insufficient; `scopes` are those that would suffice. `expression` is the part of the request
 * that needs them, if it is not the whole.
 * https://www.rfc-editor.org/rfc/rfc6750#section-3.1
 */
export const scopeInsufficient = (
  realm: Realm,
  why: string,
  scopes: readonly string[],
  expression?: string,
): FhirError =>
  refusal(
    403,
    'forbidden',
    why,
    realm,
    { error: 'insufficient_scope', ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }) },
    expression,
  );

/** The token may write the type, but not this record: no scope is named, since none would help. */
export const recordNotWritable = (realm: Realm, resourceType: string): FhirError =>
  scopeInsufficient(
    realm,
    `The token may not write this ${resourceType}: it is outside of the records that its scopes cover.`,
    [],
  );

/**
 * The token may update the record, but not read it: the answer to a change of a part would show what it has. `what` is
 * the subject of the sentence.
 */
export const recordNotChangeable = (realm: Realm, resourceType: string, what: string): FhirError =>
  scopeInsufficient(
    realm,
    `${what} needs a scope that reads this ${resourceType} too, since its answer shows the record. Send an update.`,
    [],
  );

interface Challenge {
  readonly error?: string;
  readonly scope?: string;
}

function refusal(
  status: number,
  code: IssueCode,
  text: string,
  realm: Realm,
  challenge: Challenge,
  expression = 'http.Authorization',
): FhirError {
  const { error, scope } = challenge;
  const parts = [
    ['realm', realm],
    ['error', error],
    ['error_description', error === undefined ? undefined : text],
    ['scope', scope],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : `${name}="${plain(value)}"`));
  return fhirError(status, code, text, expression, { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` });
}

/**
 * The characters of a quoted value there: %x20-21 / %x23-5B / %x5D-7E. https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
const plain = (text: string): string => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
