import type { TokenVerifier } from '../../auth/claims.ts';
import { tokenCollection } from '../../auth/token/own-tokens.ts';
import { revocationCollection } from '../../auth/token/revocations.ts';
import { usualLimits } from '../../auth/token/settings.ts';
import { createTokenVerifier } from '../../auth/token/verifier.ts';
import type { Store } from '../../store/port/store.ts';
import type { Start } from '../start.ts';

/**
 * The verifier of tokens: the injected one, or that of tokens of this server and of the issuers of the settings.
 * Undefined if access is open.
 */
export function verifierOf(
  { config, url, now, demo, notice }: Start,
  store: Store,
  injected: TokenVerifier | undefined,
): TokenVerifier | undefined {
  if (config.access === 'open') {
    notice(openToAll);
    return undefined;
  }
  if (injected !== undefined) return injected;
  return createTokenVerifier({
    tokens: store.documents(tokenCollection),
    revocations: store.documents(revocationCollection),
    issuers: config.issuers,
    publicUrl: url,
    now,
    demo,
    notice,
    limits: { ...usualLimits, introspections: Math.max(1, Math.floor(usualLimits.introspections / config.processes)) },
  });
}

const openToAll =
  'Access is open: no token is required, and every client that can connect to this port may do everything.';
