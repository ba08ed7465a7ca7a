import { fhirError } from '../../fhir/error.ts';
import { findStrings } from '../../fhir/find-strings.ts';
import type { Model } from '../../model/model.ts';

/**
 * The interaction of a Bundle that is sent to the base: the type of the Bundle decides whether it is a batch or a
 * transaction, where the latter is declared. Throws FhirError 405 if the other is declared alone.
 * https://hl7.org/fhir/R4/http.html#transaction
 */
export function bundleInteraction({ systemInteractions }: Model, body: Uint8Array): 'batch' | 'transaction' {
  const [type] = systemInteractions.has('transaction') ? findStrings(body, ['type'], 1) : [];
  if (type !== undefined && Buffer.from(body.subarray(type.from, type.to)).equals(transaction)) return 'transaction';
  if (systemInteractions.has('batch')) return 'batch';
  const text = 'The interaction batch is not supported: send a Bundle of the type `transaction`.';
  throw fhirError(405, 'not-supported', text, 'Bundle.type');
}

const transaction = Buffer.from('transaction');
