import type { Adapter, AdapterPayload, errors } from 'oidc-provider';
import type { DocumentStore } from '../store/documents.ts';
import { digestOf } from '../auth/token/digest.ts';
import { tokenCollection } from '../auth/token/own-tokens.ts';
import type { TokenGrant } from '../auth/token/own-tokens.ts';
import { revocationCollection, revoke } from '../auth/token/revocations.ts';
import { clientMetadata } from './client-metadata.ts';
import { consentCollection, consentStandsOn, findConsent } from './consents.ts';
import { isFirst, onceCollection } from './once.ts';
import type { Registry } from './registered.ts';
import { seal, unseal } from './seal.ts';
import type { Sealed } from './seal.ts';
import { stands } from './standing.ts';
import type { StandingParts } from './standing.ts';

export interface AdapterParts extends StandingParts {
  /** Of oidc-provider. */
  readonly errors: typeof errors;
}

/**
 * Where oidc-provider keeps what it must remember: in the store, under digests, and encrypted by the secret itself wherever that is
 * a secret. What is ours to know it is only told of: clients come from the registry, grants from consents, access tokens are kept
 * as own-tokens.ts reads them, and nobody is signed in there, so that our own session is the only one.
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

/** Keeps and finds nothing. */
const nothing: Adapter = {
  upsert: async () => undefined,
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  destroy: async () => undefined,
  revokeByGrantId: async () => undefined,
};

/** Encrypted, under the digest of the secret that it is found by. */
function secrets({ store, now }: AdapterParts, model: string): Adapter & { readonly documents: DocumentStore } {
  const documents = store.documents(`oidc-${model}`);
  return {
    ...nothing,
    documents,
    async upsert(secret, payload, seconds = 0) {
      const value = seal(JSON.stringify({ ...payload, jti: undefined }), secret, model);
      await documents.put(digestOf(secret), value, now() + seconds * 1000);
    },
    async find(secret) {
      const sealed = (await documents.get(digestOf(secret))) as Sealed | undefined; // written above alone
      const text = sealed && unseal(sealed, secret, model);
      return text === undefined ? undefined : { ...(JSON.parse(text) as AdapterPayload), jti: secret };
    },
    destroy: secret => documents.delete(digestOf(secret)),
  };
}

/**
 * Codes and refresh tokens: good once, in whatever process, and as long as what they stand on. Whoever comes with one a second time
 * ends all that follows from the consent. https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
 */
function grantedOnce(parts: AdapterParts, model: string): Adapter {
  const { store, now, errors } = parts;
  const kept = secrets(parts, model);
  const once = store.documents(onceCollection);
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
      if (consent === undefined || !(await stands(grantId, consent, isRefresh, parts))) return undefined;
      const consumed = (await once.get(keyOf(secret))) === undefined ? {} : { consumed: true };
      return { ...payload, ...consumed };
    },
    async consume(secret) {
      const { grantId, exp } = (await kept.find(secret)) ?? {};
      const expires = Math.max((exp ?? 0) * 1000, now()) + longestOver;
      if (grantId !== undefined && (await isFirst(once, keyOf(secret), expires))) return;
      if (grantId !== undefined) await end(grantId);
      throw new errors.InvalidGrant('it was used before');
    },
    destroy: async () => undefined, // it stays known as one that was used
    revokeByGrantId: end,
  };
}

/** How much longer it is known what was used than it could be used, in milliseconds: processes may differ in time. */
const longestOver = 600_000;

/** A grant as oidc-provider has it. */
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
  const { session } = consentStandsOn(grantId, consent);
  const expires = now() + seconds * 1000;
  const grant = { client, subject, scope, patient, fhirUser, audience, issued, expires, grant: grantId, session };
  await store.documents(tokenCollection).put(digestOf(token), grant satisfies TokenGrant, expires);
}
