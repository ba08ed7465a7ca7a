import { timingSafeEqual } from 'node:crypto';
import { digestOf } from '../../auth/token/digest.ts';
import { assertionType, checkAssertion, clientOf } from './client-assertions.ts';
import type { AssertionParts } from './client-assertions.ts';
import type { Form } from '../provider/form.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import type { RegisteredClient, Registry } from '../accounts/registered.ts';

export interface AuthenticationParts extends AssertionParts {
  readonly registry: Registry;
}

/**
 * Authenticates the client of a request by its registered method: a public client by its id only, a symmetric one by
 * its secret, an asymmetric one by an assertion. Throws OAuthError.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#obtain-access-token
 */
export async function authenticate(
  form: Form,
  authorization: string | undefined,
  parts: AuthenticationParts,
): Promise<RegisteredClient> {
  const assertion = form.get('client_assertion');
  const secret = form.get('client_secret');
  if ([authorization, assertion, secret].filter(given => given !== undefined).length > 1) {
    throw new OAuthError('invalid_request', 'Authenticate the client by one method, not by several.');
  }
  if ((assertion ?? form.get('client_assertion_type')) !== undefined) return byAssertion(form, assertion, parts);
  if (authorization !== undefined) return bySecret(form, ...basic(authorization), parts, basicChallenge);
  const id = form.get('client_id');
  if (id === undefined) throw new OAuthError('invalid_client', 'The request does not identify a client.', 401);
  if (secret !== undefined) return bySecret(form, id, [secret], parts, {});
  const client = await parts.registry.client(id);
  if (client?.kind === 'public') return client;
  throw new OAuthError('invalid_client', client === undefined ? unknown : `The client must ${ways[client.kind]}.`, 401);
}

const unknown = 'The client is not registered on this server.';
const ways = {
  public: 'send its `client_id` only, since it is public',
  symmetric: 'send its secret',
  asymmetric: 'sign a `client_assertion`',
} as const;

async function byAssertion(
  form: Form,
  assertion: string | undefined,
  parts: AuthenticationParts,
): Promise<RegisteredClient> {
  const type = form.get('client_assertion_type');
  if (assertion === undefined) throw new OAuthError('invalid_request', 'The parameter `client_assertion` is missing.');
  if (type !== assertionType)
    throw new OAuthError('invalid_request', `\`client_assertion_type\` must be \`${assertionType}\`.`);
  const id = clientOf(assertion);
  const client = await parts.registry.client(id);
  if (client === undefined) throw new OAuthError('invalid_client', unknown, 401);
  if ((form.get('client_id') ?? id) !== id)
    throw new OAuthError('invalid_request', '`client_id` is not the client of the assertion.');
  if (client.kind !== 'asymmetric')
    throw new OAuthError('invalid_client', `The client must ${ways[client.kind]}.`, 401);
  await checkAssertion(assertion, client, parts);
  return client;
}

async function bySecret(
  form: Form,
  id: string,
  secrets: readonly string[],
  { registry }: AuthenticationParts,
  headers: Readonly<Record<string, string>>,
): Promise<RegisteredClient> {
  if ((form.get('client_id') ?? id) !== id) {
    throw new OAuthError('invalid_request', '`client_id` is not the client of the header `Authorization`.');
  }
  const client = await registry.client(id);
  const given = secrets.map(secret => Buffer.from(digestOf(secret)));
  const isRight = (client?.secretDigests ?? []).some(digest => {
    const kept = Buffer.from(digest);
    return given.some(one => kept.length === one.length && timingSafeEqual(kept, one));
  });
  if (client?.kind === 'symmetric' && isRight) return client;
  // One text, whether the client exists or not.
  throw new OAuthError('invalid_client', 'The client is not registered with this id and secret.', 401, headers);
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.2 */
const basicChallenge = { 'WWW-Authenticate': 'Basic realm="token"' };

/**
 * Id and secret from the header. Both should be form-encoded, which many clients omit: the result has the secret in
 * both readings. https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
function basic(authorization: string): [id: string, secrets: readonly string[]] {
  const [, base64 = ''] = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization) ?? [];
  const text = Buffer.from(base64, 'base64').toString();
  const at = text.indexOf(':');
  const [id, secret] = [decode(text.slice(0, Math.max(at, 0))), text.slice(at + 1)];
  if (id !== undefined && id !== '') return [id, [secret, decode(secret) ?? secret]];
  const why = 'The header `Authorization` must be `Basic`, with the id and the secret of the client.';
  throw new OAuthError('invalid_client', why, 401, basicChallenge);
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
