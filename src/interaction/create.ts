import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { callerOf } from '../auth/access.ts';
import { fhirError } from '../fhir/error.ts';
import type { FhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import type { QueryPair } from '../search/request.ts';
import { KeyUsed, SeveralMatch } from '../store/port/errors.ts';
import { shorten } from '../validation/report.ts';
import type { WriteKey } from '../store/port/records.ts';
import { ifNoneExist, ifNoneExistSource, severalMatch } from './criteria.ts';
import { declaredType } from './declared.ts';
import type { Engine, FhirRequest, Interaction } from './interaction.ts';
import { refuseCostly } from './search/deadline.ts';
import { answerWritten } from './write/answer.ts';
import { requiredBody } from './write/body.ts';
import { contextOf } from './write/client-context.ts';
import { writeRecord } from './write/write.ts';

/** How long the first answer is repeated, in milliseconds. */
const kept = 24 * 3_600_000;
/** Bytes that are hashed before the event loop gets a turn. */
const hashSlice = 1024 * 1024;

/**
 * The key of a write from the header Idempotency-Key: a digest of partition, caller and the key as sent, and one of the
 * request; undefined without the header. Throws FhirError 400 if it is not 1 to 128 visible characters.
 * https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
 */
async function idempotencyKey(
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
const keyUsed = (): FhirError =>
  fhirError(
    422,
    'conflict',
    'This `Idempotency-Key` was used with another body: use a new key for a new request, and repeat ' +
      'a request unchanged.',
    expression,
  );

const expression = 'http."Idempotency-Key"';

/**
 * Create: 201 with the stored record, under a new id; the client's id, versionId and lastUpdated are ignored. With
 * If-None-Exist 200 and the existing match, 412 for several. The same Idempotency-Key and body get the first answer
 * again. Warnings are in the OperationOutcome, if the client prefers that. https://hl7.org/fhir/R4/http.html#create
 */
export const create: Interaction = async (engine, request, partition) => {
  const { parameters } = request;
  const type = declaredType(engine.model, request);
  requireNoQuery(type, parameters);
  const precondition = await ifNoneExist(engine, type, request, partition);
  const body = requiredBody(request);
  const key = await idempotencyKey(engine, request, body, callerOf(request.access));
  try {
    const draft = { type, letter: 'c', bodyId: 'ignored', bodyOf: () => body, key } as const;
    const id = contextOf(engine, request).newId();
    const decide = () => ({ id, former: undefined, precondition });
    return answerWritten(await refuseCostly(writeRecord(engine, request, draft, decide)), type, request);
  } catch (error) {
    if (error instanceof KeyUsed) throw keyUsed();
    if (!(error instanceof SeveralMatch)) throw error;
    throw severalMatch(type, ifNoneExistSource);
  }
};

/** A search by POST and a conditional create are often meant. https://hl7.org/fhir/R4/http.html#create */
function requireNoQuery({ name: type }: ResourceType, [first]: readonly QueryPair[]): void {
  if (first === undefined) return;
  const text =
    `\`POST ${type}\` creates a record and takes no query, such as \`${shorten(first[0])}\`. A conditional create ` +
    `takes its criteria in the header \`If-None-Exist\`; a search is \`GET ${type}?…\` or \`POST ${type}/_search\`.`;
  throw fhirError(400, 'not-supported', text, `http.${first[0]}`);
}
