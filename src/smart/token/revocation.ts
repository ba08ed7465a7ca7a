import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { findGrant } from '../../auth/token/own-tokens.ts';
import { revoke } from '../../auth/token/revocations.ts';
import { authenticate } from './client-authentication.ts';
import type { AuthenticationParts } from './client-authentication.ts';
import type { Form } from '../provider/form.ts';
import { ownTokens } from './introspection.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import { readRefreshToken } from './refresh-tokens.ts';
import type { RegisteredClient } from '../accounts/registered.ts';

export interface RevocationParts extends AuthenticationParts {
  readonly store: Pick<Store, 'documents'>;
}

/** The result of a revocation. */
export interface Revocation {
  readonly client: RegisteredClient;
  /** Id of the consent, with the user and the partition of the token; undefined if there was nothing to revoke. */
  readonly ended: { readonly user: string | undefined; readonly audience: string | undefined } | undefined;
}

/**
 * Revokes a token of the requesting client: an access token alone, or with a refresh token all tokens of the same
 * consent. An unknown token counts as revoked. Throws OAuthError. https://www.rfc-editor.org/rfc/rfc7009#section-2
 */
export async function revokeToken(
  form: Form,
  authorization: string | undefined,
  parts: RevocationParts,
): Promise<Revocation> {
  const client = await authenticate(form, authorization, parts);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter `token` is missing.');
  const { tokens, revocations } = ownTokens(parts.store);
  const grant = await findGrant({ tokens, revocations }, digestOf(token));
  if (grant !== undefined) {
    if (grant.client !== client.id) throw notYours();
    await tokens.delete(digestOf(token));
    return { client, ended: { user: grant.subject, audience: grant.audience } };
  }
  const refresh = await readRefreshToken(parts.store, token);
  if (refresh === undefined) return { client, ended: undefined };
  if (refresh.clientId !== client.id) throw notYours();
  await revoke(revocations, 'grant', refresh.grantId, parts.now());
  return { client, ended: { user: undefined, audience: undefined } };
}

const notYours = (): OAuthError => new OAuthError('invalid_request', 'The token belongs to another client.');
