import type { TokenGrant } from '../../src/auth/token/own-tokens.ts';

/** The tokens of the guarded subject: of a system, and of a patient. */
export const guardTokens = { system: 'crs_system-of-the-bench', patient: 'crs_patient-of-the-bench' } as const;

/** What they are good for, at the base URL of a partition. */
export function issuedAs(
  patient: string,
  audience: string,
): readonly { readonly token: string; readonly grant: TokenGrant }[] {
  const issued = Date.now();
  const shared = { client: 'bench', audience, issued, expires: issued + 86_400_000 };
  return [
    { token: guardTokens.system, grant: { ...shared, scope: 'system/*.rs' } },
    { token: guardTokens.patient, grant: { ...shared, scope: 'patient/*.rs', patient } },
  ];
}
