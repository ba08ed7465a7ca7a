import type { Claims, TokenVerifier } from '../../src/auth/claims.ts';
import { TokenRefused } from '../../src/auth/claims.ts';

/** An issuer of tokens for tests of what tokens may do: it signs nothing and remembers what it gave out. */
export interface TestTokens {
  readonly verify: TokenVerifier;
  /**
   * A token with these claims; the others are those of a client without a user, in the partition `demo`, for an hour.
   */
  token(claims?: Partial<Claims>): string;
  /** The header with such a token. */
  bearer(claims?: Partial<Claims>): { readonly Authorization: string };
}

export function testTokens(): TestTokens {
  const given = new Map<string, Claims>();
  const token = (claims: Partial<Claims> = {}): string => {
    const text = `test.${given.size}`;
    given.set(text, {
      issuer: 'https://issuer.example',
      client: 'app',
      subject: undefined,
      scope: '',
      patient: undefined,
      fhirUser: undefined,
      partition: 'demo',
      expires: Date.now() + 3_600_000,
      ...claims,
    });
    return text;
  };
  return {
    verify: async (text, partition) => {
      const claims = given.get(text);
      if (claims === undefined) throw new TokenRefused('The token is not known.');
      if (claims.partition !== partition) throw new TokenRefused('The token is for another partition.');
      return claims;
    },
    token,
    bearer: claims => ({ Authorization: `Bearer ${token(claims)}` }),
  };
}

/** Claims of a user who is a clinician. */
export const clinician = { subject: 'dr', fhirUser: 'Practitioner/dr' } as const;
