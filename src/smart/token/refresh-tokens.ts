import type { Store } from '../../store/port/store.ts';
import { digestOf } from '../../auth/token/digest.ts';
import { unseal } from './seal.ts';
import type { Sealed } from './seal.ts';

/** The stored data of a refresh token. */
export interface KeptRefreshToken {
  readonly clientId: string;
  /** Id of its consent. */
  readonly grantId: string;
  readonly scope: string;
  /** Seconds since 1970 UTC. */
  readonly exp: number;
}

/** The stored data of a refresh token, valid or not; undefined if it is not a refresh token. */
export async function readRefreshToken(
  store: Pick<Store, 'documents'>,
  token: string,
): Promise<KeptRefreshToken | undefined> {
  // adapter.ts writes it
  const sealed = (await store.documents('oidc-RefreshToken').get(digestOf(token))) as Sealed | undefined;
  const text = sealed && unseal(sealed, token, 'RefreshToken');
  return text === undefined ? undefined : (JSON.parse(text) as KeptRefreshToken);
}

/** Whether it is an issued code, used or not, within the time that codes are stored. */
export const isCode = async (store: Pick<Store, 'documents'>, code: string): Promise<boolean> =>
  (await store.documents('oidc-AuthorizationCode').get(digestOf(code))) !== undefined; // adapter.ts writes it
