import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { findGrant, tokenCollection } from '../../auth/token/own-tokens.ts';
import type { TokenGrant } from '../../auth/token/own-tokens.ts';
import { revocationCollection } from '../../auth/token/revocations.ts';
import { parseScope } from '../../auth/scope.ts';
import { authenticate } from './client-authentication.ts';
import type { AuthenticationParts } from './client-authentication.ts';
import { consentCollection, contextOf, fhirUserUrl, findConsent } from '../sign-in/consents.ts';
import type { Form } from '../provider/form.ts';
import { OAuthError } from '../provider/oauth-error.ts';

export interface IntrospectionParts extends AuthenticationParts {
  readonly store: Pick<Store, 'documents'>;
  readonly issuer: string;
}

const inactive = { active: false };

/**
 * Describes an access token to an authenticated client, or to the bearer of an access token: their own tokens, and for
 * a backend service (`system/` scopes, or registered as such) all tokens of its partitions. Every other token is
 * reported as inactive. Throws OAuthError. https://hl7.org/fhir/smart-app-launch/STU2.2/token-introspection.html
 */
export async function introspect(
  form: Form,
  authorization: string | undefined,
  parts: IntrospectionParts,
): Promise<Readonly<Record<string, unknown>>> {
  const own = ownTokens(parts.store);
  const mayAsk = await asker(form, authorization, parts);
  const token = form.get('token');
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter `token` is missing.');
  const grant = await findGrant(own, digestOf(token));
  if (grant === undefined || grant.expires <= parts.now() || !mayAsk(grant)) return inactive;
  const { client, subject, scope, patient, audience, expires, grant: consentId } = grant;
  const consent = await findConsent(parts.store.documents(consentCollection), consentId);
  const context = consent === undefined ? (patient === undefined ? {} : { patient }) : contextOf(consent);
  const fhirUser = consent?.scopes.includes('fhirUser') === true ? fhirUserUrl(consent) : undefined;
  return {
    active: true,
    scope,
    client_id: client,
    token_type: 'Bearer',
    exp: Math.floor(expires / 1000),
    iss: parts.issuer,
    aud: audience,
    sub: subject ?? client,
    ...context,
    ...(fhirUser === undefined ? {} : { fhirUser }),
  };
}

export const ownTokens = (store: Pick<Store, 'documents'>) => ({
  tokens: store.documents(tokenCollection),
  revocations: store.documents(revocationCollection),
});

/** Decides whether the caller may introspect a token. */
type MayAsk = (grant: TokenGrant) => boolean;

async function asker(form: Form, authorization: string | undefined, parts: IntrospectionParts): Promise<MayAsk> {
  const [, bearer] = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(authorization ?? '') ?? [];
  if (bearer !== undefined) {
    const own = await findGrant(ownTokens(parts.store), digestOf(bearer));
    if (own === undefined || own.expires <= parts.now()) {
      const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
      throw new OAuthError('invalid_token', 'The access token is unknown, has expired or was revoked.', 401, headers);
    }
    const isSystem = own.scope.split(' ').some(scope => parseScope(scope)?.context === 'system');
    return ({ client, audience }) => audience === own.audience && (isSystem || client === own.client);
  }
  const client = await authenticate(form, authorization, parts);
  const isBackend = client.kind !== 'public' && client.flows.includes('backend');
  const isOwn = (audience: string): boolean => client.partitions.some(id => audience.endsWith(`/r4/${id}`));
  return grant => grant.client === client.id || (isBackend && isOwn(grant.audience));
}
