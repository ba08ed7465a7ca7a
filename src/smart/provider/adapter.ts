import { randomBytes } from 'node:crypto';
import type { Adapter, AdapterPayload, AllClientMetadata, errors } from 'oidc-provider';
import type { DocumentStore } from '../../store/port/documents.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { tokenCollection } from '../../auth/token/own-tokens.ts';
import type { TokenGrant } from '../../auth/token/own-tokens.ts';
import { revocationCollection, revoke } from '../../auth/token/revocations.ts';
import { consentCollection, findConsent, isConsentValid, revocationTargetsOf } from '../sign-in/consents.ts';
import type { ConsentValidityParts } from '../sign-in/consents.ts';
import { claimOnce, usedKeyCollection } from '../token/claim-once.ts';
import type { RegisteredClient, Registry } from '../accounts/registered.ts';
import { seal, unseal } from '../token/seal.ts';
import type { Sealed } from '../token/seal.ts';

export interface AdapterParts extends ConsentValidityParts {
  /** The error classes of oidc-provider. */
  readonly errors: typeof errors;
  /** Receives the id of the next refresh token of the running request. */
  readonly succeed: (id: string) => void;
}

/**
 * The storage of oidc-provider: documents in the store, under digests, and encrypted with the secret itself if the key
 * is a secret. Data that other modules own is only read: clients come from the registry, grants from consents; access
 * tokens are written as own-tokens.ts reads them. Sessions of oidc-provider are not stored, since session.ts is the
 * only session.
 */
export function createAdapter(parts: AdapterParts): (model: string) => Adapter {
  return model => {
    switch (model) {
      case 'Client':
        return { ...nothing, find: async id => metadataOf(await parts.registry.client(id)) };
      case 'Grant':
        return { ...nothing, find: id => grantOf(parts, id) };
      case 'AccessToken':
        return { ...nothing, upsert: (id, payload, seconds = 0) => putAccessToken(parts, id, payload, seconds) };
      case 'Interaction':
        return secrets(parts, model);
      case 'AuthorizationCode':
      case 'RefreshToken':
        return grantedOnce(parts, model);
      default:
        return nothing;
    }
  };
}

const metadataOf = (client: Awaited<ReturnType<Registry['client']>>): AdapterPayload | undefined =>
  client && clientMetadata(client);

/** Stores and finds nothing. */
const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Encrypted documents, stored under the digest of the secret. */
function secrets({ store, now }: AdapterParts, model: string): Adapter & { readonly documents: DocumentStore } {
  const documents = store.documents(`oidc-${model}`);
  return {
    ...nothing,
    documents,
    async upsert(secret, payload, seconds = 0) {
      const value = seal(JSON.stringify({ ...payload, jti: undefined }), secret, model);
      await documents.put(digestOf(secret), value, { expires: now() + seconds * 1000 });
    },
    async find(secret) {
      const sealed = (await documents.get(digestOf(secret))) as Sealed | undefined; // only this adapter writes it
      const text = sealed && unseal(sealed, secret, model);
      return text === undefined ? undefined : { ...(JSON.parse(text) as AdapterPayload), jti: secret };
    },
    destroy: secret => documents.delete(digestOf(secret)),
  };
}

/**
 * Codes and refresh tokens: single-use across processes, and valid as long as their consent. A second use revokes all
 * tokens of the consent, except that of a refresh token within `grace` whose successor is unused: an app whose answer
 * was lost, or with two tabs, gets the same successor. https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
function grantedOnce(parts: AdapterParts, model: string): Adapter {
  const { store, now, errors } = parts;
  const kept = secrets(parts, model);
  const isRefresh = model === 'RefreshToken';
  const once = store.documents(usedKeyCollection);
  const successors = store.documents('oidc-successors');
  const consents = store.documents(consentCollection);
  const revocations = store.documents(revocationCollection);
  const keyOf = (secret: string): string => `${model}:${digestOf(secret)}`;
  const end = (grantId: string): Promise<void> => revoke(revocations, 'grant', grantId, now());
  const nextOf = async (sealed: Sealed, secret: string): Promise<string | undefined> => {
    const next = unseal(sealed, secret, successor);
    return next === undefined || (await once.get(keyOf(next))) !== undefined ? undefined : next;
  };

  /**
   * Makes or finds the successor before the token counts as used, so that all uses at a time get the same one. False
   * for a later use.
   */
  const succeed = async (secret: string, expires: number): Promise<boolean> => {
    const mine = seal(randomBytes(32).toString('base64url'), secret, successor);
    const options = { ifAbsent: true, expires: now() + grace };
    const sealed = (await successors.put(digestOf(secret), mine, options)) as Sealed; // only this adapter writes it
    const isSame = (await once.put(keyOf(secret), sealed.tag, { ifAbsent: true, expires })) === sealed.tag;
    const next = isSame ? await nextOf(sealed, secret) : undefined;
    if (next === undefined) await successors.delete(digestOf(secret));
    else parts.succeed(next);
    return next !== undefined;
  };

  return {
    ...kept,
    async find(secret) {
      const payload = await kept.find(secret);
      if (!payload) return undefined;
      const { grantId = '' } = payload;
      const consent = await findConsent(consents, grantId);
      if (consent === undefined || !(await isConsentValid(grantId, consent, isRefresh, parts))) return undefined;
      const used = await once.get(keyOf(secret));
      if (used === undefined) return payload;
      const sealed = (await successors.get(digestOf(secret))) as Sealed | undefined; // only this adapter writes it
      const isAgain = sealed?.tag === used && (await nextOf(sealed, secret)) !== undefined;
      return isAgain ? payload : { ...payload, consumed: true };
    },
    async consume(secret) {
      const { grantId, exp } = (await kept.find(secret)) ?? {};
      const expires = Math.max((exp ?? 0) * 1000, now()) + longestOver;
      const take = () => (isRefresh ? succeed(secret, expires) : claimOnce(once, keyOf(secret), expires));
      if (grantId !== undefined && (await take())) return;
      if (grantId !== undefined) await end(grantId);
      throw new errors.InvalidGrant('it was used before');
    },
    destroy: async () => undefined, // the used code stays stored, to detect a second use
    revokeByGrantId: end,
  };
}

/** How long a used refresh token returns the same successor, in milliseconds. */
const grace = 10_000;

/** The purpose of the encryption of a successor. */
const successor = 'RefreshToken successor';

/** How long a used code or token is remembered after its expiry, in milliseconds: clocks of processes may differ. */
const longestOver = 600_000;

/** A grant in the form of oidc-provider. */
async function grantOf({ store }: AdapterParts, id: string): Promise<AdapterPayload | undefined> {
  const consent = await findConsent(store.documents(consentCollection), id);
  if (consent === undefined) return undefined;
  const scope = consent.scopes.join(' ');
  const { user: accountId, client: clientId, audience } = consent;
  return {
    jti: id,
    kind: 'Grant',
    accountId,
    clientId,
    openid: { scope },
    resources: { [audience]: scope },
  };
}

async function putAccessToken(
  { store, now }: AdapterParts,
  token: string,
  { grantId, scope = '' }: AdapterPayload,
  seconds: number,
): Promise<void> {
  const consent = await findConsent(store.documents(consentCollection), grantId);
  if (grantId === undefined || consent === undefined) throw new Error('An access token without a consent');
  const { client, user: subject, fhirUser, patient, audience, issued } = consent;
  const { session } = revocationTargetsOf(grantId, consent);
  const expires = now() + seconds * 1000;
  const grant = { client, subject, scope, patient, fhirUser, audience, issued, expires, grant: grantId, session };
  await store.documents(tokenCollection).put(digestOf(token), grant satisfies TokenGrant, { expires });
}

/**
 * The metadata of a client for oidc-provider; undefined for a client without the flow `app`. It has no authentication
 * method, since client-authentication.ts has authenticated the client before.
 */
function clientMetadata(client: RegisteredClient): AllClientMetadata | undefined {
  if (!client.flows.includes('app')) return undefined;
  const isWeb = client.redirectUris.every(uri => /^https?:/i.test(uri));
  return {
    client_id: client.id,
    client_name: client.name,
    redirect_uris: [...client.redirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: isWeb ? 'web' : 'native',
    id_token_signed_response_alg: 'RS256',
  };
}
