import type { Model } from '../../model/model.ts';
import type { Store } from '../../store/port/store.ts';
import { isRevoked, revocationCollection } from '../../auth/token/revocations.ts';
import { revocationTargetsOf, isOffline } from './consents.ts';
import type { Consent } from './consents.ts';
import { ScopeRefused, negotiateScopes } from '../scope/negotiate.ts';
import type { Registry } from '../accounts/registered.ts';
import type { Sessions } from './session.ts';

export interface ConsentValidityParts {
  readonly store: Pick<Store, 'documents'>;
  readonly model: Model;
  readonly registry: Registry;
  readonly sessions: Pick<Sessions, 'isAlive'>;
  /** How long the refresh tokens of one consent are valid in total, in milliseconds. */
  readonly refreshLifetime: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/**
 * Whether new tokens may be issued for a consent: it is not revoked, and client and user still have the rights.
 * `refresh`: for a refresh token, which ends with the session if only `online_access` was granted.
 */
export async function isConsentValid(
  id: string,
  consent: Consent,
  refresh: boolean,
  parts: ConsentValidityParts,
): Promise<boolean> {
  const { store, registry, sessions, refreshLifetime, now } = parts;
  if (await isRevoked(store.documents(revocationCollection), revocationTargetsOf(id, consent), consent.issued))
    return false;
  const [client, user] = await Promise.all([registry.client(consent.client), registry.user(consent.user)]);
  const place = user?.partitions.find(one => one.id === consent.partition);
  if (place === undefined || place.fhirUser !== consent.fhirUser) return false;
  if (client?.partitions.includes(consent.partition) !== true || !mayHave(client.scopes, consent, parts.model))
    return false;
  if (!refresh) return true;
  if (consent.issued + refreshLifetime <= now()) return false;
  return isOffline(consent) || sessions.isAlive(consent.session);
}

/** False if the client is now registered for fewer scopes, or the definitions have fewer. */
function mayHave(registered: readonly string[], { scopes, launch }: Consent, model: Model): boolean {
  try {
    const context = { launch: scopes.includes('launch'), encounter: launch?.encounter !== undefined };
    const rules = { model, registered, flow: 'app', ...context } as const;
    const still = new Set(negotiateScopes(scopes.join(' '), rules).scopes);
    return scopes.every(scope => still.has(scope));
  } catch (error) {
    if (error instanceof ScopeRefused) return false;
    throw error;
  }
}
