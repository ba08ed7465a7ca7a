import { fhirError } from '../../fhir/error.ts';
import type { FhirRequest } from '../interaction.ts';

/**
 * Throws FhirError 400 if a batch or a transaction has an `Idempotency-Key`: the first answer would be repeated without
 * its reads, and without what its entries meet now.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export function refuseKey({ headers }: Pick<FhirRequest, 'headers'>, what: 'batch' | 'transaction'): void {
  if (headers['idempotency-key'] === undefined) return;
  throw fhirError(
    400,
    'not-supported',
    `\`Idempotency-Key\` is not supported for a ${what}. To repeat one safely, create with \`ifNoneExist\`, or ` +
      'update with ids of your own.',
    'http."Idempotency-Key"',
  );
}
