import { callerOf } from '../auth/access.ts';
import { fhirError } from '../fhir/error.ts';
import type { ResourceType } from '../model/model.ts';
import type { QueryPair } from '../search/request.ts';
import { KeyUsed, SeveralMatch } from '../store/port/errors.ts';
import { shorten } from '../validation/report.ts';
import { ifNoneExist, ifNoneExistSource } from './conditional-create.ts';
import { severalMatch } from './criteria.ts';
import { declaredType } from './declared.ts';
import { idempotencyKey, keyUsed } from './idempotency.ts';
import type { Interaction } from './interaction.ts';
import { refuseCostly } from './search/costly.ts';
import { answerWritten } from './write/answer.ts';
import { requiredBody } from './write/body.ts';
import { contextOf } from './write/client-context.ts';
import { writeRecord } from './write/write.ts';

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
    return answerWritten(await refuseCostly(writeRecord(engine, request, partition, draft, decide)), type, request);
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
