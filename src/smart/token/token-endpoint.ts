import { parseScope } from '../../auth/scope.ts';
import { backendToken } from './backend.ts';
import type { BackendParts } from './backend.ts';
import { authenticate } from './client-authentication.ts';
import type { AuthenticationParts } from './client-authentication.ts';
import { consentCollection, findConsent } from '../sign-in/consents.ts';
import type { Form } from '../provider/form.ts';
import { ScopeRefused, narrowRefresh } from '../scope/negotiate.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import { audiencesOf } from '../sign-in/addresses.ts';
import { isCode, readRefreshToken } from './issued-tokens.ts';
import type { RegisteredClient } from '../accounts/registered.ts';

export interface TokenParts extends AuthenticationParts, BackendParts {}

/** The next step of a token request. */
export type TokenRequest =
  /** The token is issued here. */
  | {
      readonly kind: 'answered';
      readonly client: RegisteredClient;
      readonly answer: Awaited<ReturnType<typeof backendToken>>;
    }
  /**
   * Handled by oidc-provider with this body, which names the client and has no credentials. `scope` is the scope of the
   * access token if it is not what oidc-provider gives for the body: a part of a granted scope.
   */
  | {
      readonly kind: 'forwarded';
      readonly client: RegisteredClient;
      readonly body: string;
      readonly scope: string | undefined;
    };

/**
 * Checks the parts of a token request that oidc-provider does not check as SMART requires: client authentication and
 * grant types. Throws OAuthError. https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
export async function tokenRequest(
  form: Form,
  authorization: string | undefined,
  parts: TokenParts,
): Promise<TokenRequest> {
  const type = form.get('grant_type');
  if (type === undefined) throw new OAuthError('invalid_request', 'The parameter `grant_type` is missing.');
  const parameters = Object.hasOwn(forwarded, type) ? forwarded[type] : undefined;
  if (parameters === undefined && type !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', `Unsupported \`grant_type\`; use ${grantTypes.join(', ')}.`);
  }
  const issued = parts.now(); // before the client is looked up, so that a concurrent removal covers this token
  const client = await authenticate(await withClient(form, authorization, parts), authorization, parts);
  try {
    return await requestOf(client, type, parameters, form, issued, parts);
  } catch (error) {
    if (error instanceof OAuthError && (await hasShown(client, form, parts))) error.client = client.id;
    throw error;
  }
}

/**
 * False for a public client without a code or refresh token that was issued to it: anyone can send its id, and could
 * fill the audit with it.
 */
export async function hasShown(
  client: RegisteredClient,
  form: Form,
  { store }: Pick<TokenParts, 'store'>,
): Promise<boolean> {
  if (client.kind !== 'public') return true;
  const [code, refresh] = [form.get('code'), form.get('refresh_token')];
  if (refresh !== undefined) return (await readRefreshToken(store, refresh))?.clientId === client.id;
  return code !== undefined && (await isCode(store, code));
}

/** The request of an authenticated client. */
async function requestOf(
  client: RegisteredClient,
  type: string,
  parameters: readonly string[] | undefined,
  form: Form,
  issued: number,
  parts: TokenParts,
): Promise<TokenRequest> {
  if (parameters === undefined)
    return { kind: 'answered', client, answer: await backendToken(client, form, issued, parts) };
  if (!client.flows.includes('app'))
    throw new OAuthError('unauthorized_client', 'The client is registered for `client_credentials` only.');
  const body = new URLSearchParams({ grant_type: type, client_id: client.id });
  for (const name of parameters) {
    const value = form.get(name);
    if (value !== undefined) body.set(name, value);
  }
  const part = type === 'refresh_token' ? await narrowed(form, client, parts) : undefined;
  if (part !== undefined) body.set('scope', part.covering);
  for (const audience of audiencesOf([form.get('resource'), form.get('aud')].filter(value => value !== undefined)))
    body.append('resource', audience);
  return { kind: 'forwarded', client, body: body.toString(), scope: part?.scope };
}

/** The grant types that a token request may name. */
export const grantTypes: readonly string[] = ['authorization_code', 'refresh_token', 'client_credentials'];

/** The parameters that are forwarded, by grant type. */
const forwarded: Readonly<Record<string, readonly string[]>> = {
  authorization_code: ['code', 'redirect_uri', 'code_verifier'],
  refresh_token: ['refresh_token', 'scope'],
};

/**
 * A refresh token identifies its client: a public client may omit its id, its only credential.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/app-launch.html#refresh-access-token
 */
async function withClient(
  form: Form,
  authorization: string | undefined,
  { store, registry }: TokenParts,
): Promise<Form> {
  const token = form.get('refresh_token');
  const shown = [authorization, form.get('client_id'), form.get('client_assertion')];
  if (form.get('grant_type') !== 'refresh_token' || token === undefined || shown.some(given => given !== undefined))
    return form;
  const id = (await readRefreshToken(store, token))?.clientId;
  const client = id === undefined ? undefined : await registry.client(id);
  if (client?.kind === 'public') return new Map([...form, ['client_id', client.id]]);
  if (id === undefined)
    throw new OAuthError('invalid_grant', 'The refresh token is unknown, has expired or was revoked.');
  return form;
}

/**
 * The requested scopes of a refresh, and the granted scopes that cover them, which are all that oidc-provider knows;
 * undefined without a valid refresh token of the client, or without requested scopes.
 */
async function narrowed(
  form: Form,
  client: RegisteredClient,
  { store, model }: TokenParts,
): Promise<{ readonly scope: string; readonly covering: string } | undefined> {
  const [token, requested] = [form.get('refresh_token'), form.get('scope')];
  const kept = token === undefined || requested === undefined ? undefined : await readRefreshToken(store, token);
  if (kept?.clientId !== client.id) return undefined; // rejected later for the wrong client
  const { scopes: granted } = (await findConsent(store.documents(consentCollection), kept.grantId)) ?? { scopes: [] };
  try {
    const scopes = narrowRefresh(granted, requested, model);
    const covering = granted.filter(scope => scopes.includes(scope) || parseScope(scope) !== undefined);
    return { scope: scopes.join(' '), covering: covering.join(' ') };
  } catch (error) {
    throw error instanceof ScopeRefused ? new OAuthError('invalid_scope', error.message) : error;
  }
}
