import type { Store } from '../store/store.ts';
import { digestOf } from '../auth/token/digest.ts';
import { unseal } from './seal.ts';
import type { Sealed } from './seal.ts';

/** What is kept of a refresh token. */
export interface KeptRefreshToken {
  readonly clientId: string;
  /** Id of the consent that it follows from. */
  readonly grantId: string;
  readonly scope: string;
  /** Seconds since 1970 UTC. */
  readonly exp: number;
}

/** What is kept of a refresh token, whether it is still good or not; undefined for what is none. */
export async function readRefreshToken(
  store: Pick<Store, 'documents'>,
  token: string,
): Promise<KeptRefreshToken | undefined> {
  const sealed = (await store.documents('oidc-RefreshToken').get(digestOf(token))) as Sealed | undefined; // adapter.ts writes it
  const text = sealed && unseal(sealed, token, 'RefreshToken');
  return text === undefined ? undefined : (JSON.parse(text) as KeptRefreshToken);
}

/** Whether it is a code that was issued, used or not, as long as codes are kept. */
export const isCode = async (store: Pick<Store, 'documents'>, code: string): Promise<boolean> =>
  (await store.documents('oidc-AuthorizationCode').get(digestOf(code))) !== undefined; // adapter.ts writes it
