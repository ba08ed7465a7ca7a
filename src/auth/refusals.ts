import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { IssueCode } from '../fhir/outcome.ts';

/** Where a token is asked for: `realm` is the base URL of the partition. */
export type Realm = string;

/** No token came. https://www.rfc-editor.org/rfc/rfc6750#section-3 */
export const tokenMissing = (realm: Realm): FhirError =>
  refusal(401, 'login', 'This needs an access token: send the header `Authorization: Bearer {token}`.', realm, {});

/** The token is not good here; `why` is a sentence. https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export const tokenRefused = (realm: Realm, why: string): FhirError =>
  refusal(401, 'login', why, realm, { error: 'invalid_token' });

/** The token did not come as it must. https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export const tokenMisplaced = (realm: Realm, why: string): FhirError =>
  refusal(400, 'invalid', why, realm, { error: 'invalid_request' });

/** The token is good, but not for this; `scopes` are those that would be. https://www.rfc-editor.org/rfc/rfc6750#section-3.1 */
export const scopeInsufficient = (realm: Realm, why: string, scopes: readonly string[]): FhirError =>
  refusal(403, 'forbidden', why, realm, {
    error: 'insufficient_scope',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  });

/** The record itself is not one that the token may write: no scope is named, since what is missing is not one. */
export const notToBeWritten = (realm: Realm, resourceType: string): FhirError =>
  scopeInsufficient(realm, `The token may not write this ${resourceType}: it is not among those that it is for.`, []);

interface Challenge {
  readonly error?: string;
  readonly scope?: string;
}

function refusal(status: number, code: IssueCode, text: string, realm: Realm, challenge: Challenge): FhirError {
  const { error, scope } = challenge;
  const parts = [
    ['realm', realm],
    ['error', error],
    ['error_description', error === undefined ? undefined : text],
    ['scope', scope],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : `${name}="${plain(value)}"`));
  return fhirError(status, code, text, undefined, { 'WWW-Authenticate': `Bearer ${parts.join(', ')}` });
}

/** What may stand in a quoted value there: %x20-21 / %x23-5B / %x5D-7E. https://www.rfc-editor.org/rfc/rfc6750#section-3 */
const plain = (text: string): string => text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'");
