import type { Adapter, AdapterPayload, errors } from 'oidc-provider';
import type { DocumentStore } from '../store/documents.ts';
import { digestOf } from '../auth/token/digest.ts';
import { tokenCollection } from '../auth/token/own-tokens.ts';
import type { TokenGrant } from '../auth/token/own-tokens.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { clientMetadata } from './client-metadata.ts';
import { consentCollection, revocationTargetsOf, findConsent } from './consents.ts';
import { claimOnce, usedKeyCollection } from './claim-once.ts';
import type { Registry } from './registered.ts';
import { seal, unseal } from './seal.ts';
import type { Sealed } from './seal.ts';
import { isConsentValid } from './consent-validity.ts';
import type { ConsentValidityParts } from './consent-validity.ts';

export interface AdapterParts extends ConsentValidityParts {
  /** The error classes of oidc-provider. */
  readonly errors: typeof errors;
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
 * tokens of the consent. https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
function grantedOnce(parts: AdapterParts, model: string): Adapter {
  const { store, now, errors } = parts;
  const kept = secrets(parts, model);
  const once = store.documents(usedKeyCollection);
  const consents = store.documents(consentCollection);
  const revocations = store.documents(revocationCollection);
  const keyOf = (secret: string): string => `${model}:${digestOf(secret)}`;
  const end = (grantId: string): Promise<void> => revoke(revocations, 'grant', grantId, now());

  return {
    ...kept,
    async find(secret) {
      const payload = await kept.find(secret);
      if (!payload) return undefined;
      const { grantId = '' } = payload;
      const consent = await findConsent(consents, grantId);
      const isRefresh = model === 'RefreshToken';
      if (consent === undefined || !(await isConsentValid(grantId, consent, isRefresh, parts))) return undefined;
      const consumed = (await once.get(keyOf(secret))) === undefined ? {} : { consumed: true };
      return { ...payload, ...consumed };
    },
    async consume(secret) {
      const { grantId, exp } = (await kept.find(secret)) ?? {};
      const expires = Math.max((exp ?? 0) * 1000, now()) + longestOver;
      if (grantId !== undefined && (await claimOnce(once, keyOf(secret), expires))) return;
      if (grantId !== undefined) await end(grantId);
      throw new errors.InvalidGrant('it was used before');
    },
    destroy: async () => undefined, // the used code stays stored, to detect a second use
    revokeByGrantId: end,
  };
}

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
