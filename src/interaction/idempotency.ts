import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { WriteKey } from '../store/port/records.ts';
import type { Engine, FhirRequest } from './interaction.ts';

/** How long the first answer is repeated, in milliseconds. */
const kept = 24 * 3_600_000;
/** Bytes that are hashed before the event loop gets a turn. */
const hashSlice = 1024 * 1024;

/**
 * The key of a write from the header Idempotency-Key: a digest of partition, caller and the key as sent, and one of the
 * request; undefined without the header. Throws FhirError 400 if it is not 1 to 128 visible characters.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
export async function idempotencyKey(
  { now }: Engine,
  { headers, partition, interaction, resourceType }: FhirRequest,
  body: Uint8Array,
  caller: string,
): Promise<WriteKey | undefined> {
  const given = headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,128}$/.test(given)) {
    throw fhirError(400, 'value', '`Idempotency-Key` must be 1 to 128 visible ASCII characters.', expression);
  }
  const asked = createHash('sha256').update(JSON.stringify([interaction, resourceType, headers['if-none-exist']]));
  for (let at = 0; at < body.length; at += hashSlice) {
    if (at > 0) await setImmediate();
    asked.update(body.subarray(at, at + hashSlice));
  }
  const key = createHash('sha256').update(JSON.stringify([partition.id, caller, given]));
  return { key: key.digest('hex'), body: asked.digest('hex'), expires: now() + kept };
}

/** The key was used with another request. */
export const keyUsed = (): FhirError =>
  fhirError(
    422,
    'conflict',
    'This `Idempotency-Key` was used with another body: use a new key for a new request, and repeat ' +
      'a request unchanged.',
    expression,
  );

const expression = 'http."Idempotency-Key"';
