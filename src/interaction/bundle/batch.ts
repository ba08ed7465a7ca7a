import { FhirError, fhirError } from '../../fhir/error.ts';
import { printETag } from '../../fhir/etag.ts';
import { isObject, objectsOf } from '../../fhir/json-object.ts';
import { compactJson } from '../../fhir/json.ts';
import { operationOutcome } from '../../fhir/outcome.ts';
import { printInstant } from '../../fhir/resource-text.ts';
import { checkStructure } from '../../validation/structure.ts';
import { answerOf } from '../answer-of.ts';
import { controls } from '../controls.ts';
import type { Engine, FhirRequest, FhirResponse, Interaction } from '../interaction.ts';
import { handlingOf } from '../prefer.ts';
import { parseBody } from '../write/body.ts';
import { type BatchEntry, requestOf, resourceTexts, urlOf } from './batch-entry.ts';

/** Limits of one batch. */
const MOST_ENTRIES = 1_000;
/** Milliseconds after which no further entry begins. */
const LONGEST = 60_000;

/** Answers one request (dispatch.ts). */
export type Dispatch = (engine: Engine, request: FhirRequest) => Promise<FhirResponse>;

/**
 * Batch: each entry is a request of its own, with its own access decision, audit event and answer, in the order DELETE,
 * POST, PUT and PATCH, GET; the answers have the order of the entries. Throws FhirError 400 for a body that is not a
 * batch. https://hl7.org/fhir/R4/http.html#transaction
 */
export function createBatch(dispatch: Dispatch): Interaction {
  return async (engine, request) => {
    controls(request.parameters, [], handlingOf(request.headers['prefer'], engine.handling));
    const entries = readBatch(engine, request.body ?? Buffer.alloc(0));
    const end = engine.now() + LONGEST;
    const answers = new Map<BatchEntry, string>();
    for (const entry of entries.toSorted((a, b) => rankOf(a) - rankOf(b))) {
      answers.set(entry, await answer(engine, request, entry, { dispatch, end }));
    }
    const all = entries.map(entry => answers.get(entry) ?? '').join(',');
    const list = entries.length === 0 ? '' : `,"entry":[${all}]`;
    return { status: 200, body: `{"resourceType":"Bundle","type":"batch-response"${list}}` };
  };
}

/** The entries of a batch. Throws FhirError 400 with all errors outside of their resources. */
function readBatch({ model }: Engine, body: Buffer): readonly BatchEntry[] {
  const { text, parsed } = parseBody(body, 'Bundle');
  const bundle = isObject(parsed.value) ? parsed.value : {};
  const type = bundle['resourceType'] === 'Bundle' ? bundle['type'] : undefined;
  if (type !== 'batch') {
    const what = type === 'transaction' ? 'Transactions are not supported' : 'The body is not a batch';
    throw fhirError(400, 'not-supported', `${what}: send a Bundle with the type \`batch\`.`, 'Bundle.type');
  }
  const { entry: list, ...around } = bundle;
  const entries = objectsOf(list);
  const issues = checkStructure(around, model);
  if (issues.length > 0) throw new FhirError(400, issues);
  if (list !== undefined && (!Array.isArray(list) || list.length === 0 || entries.length < list.length)) {
    throw fhirError(400, 'structure', '`Bundle.entry` must be a list of objects, or be omitted.', 'Bundle.entry');
  }
  if (entries.length > MOST_ENTRIES) {
    const wrong = `The batch has ${entries.length} entries, but the limit is ${MOST_ENTRIES}: send several batches.`;
    throw fhirError(400, 'too-costly', wrong, 'Bundle.entry');
  }
  const texts = resourceTexts(compactJson(text));
  return entries.map((value, index) => ({ value, index, resource: texts[index] }));
}

/** https://hl7.org/fhir/R4/http.html#trules */
const ranks = ['DELETE', 'POST', 'PUT', 'PATCH', 'GET', 'HEAD'];

function rankOf({ value }: BatchEntry): number {
  const { method } = isObject(value['request']) ? value['request'] : {};
  return ranks.indexOf(String(method));
}

interface Course {
  readonly dispatch: Dispatch;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

/** The text of the entry of an answer. */
async function answer(
  engine: Engine,
  batch: FhirRequest,
  entry: BatchEntry,
  { dispatch, end }: Course,
): Promise<string> {
  let request: FhirRequest | undefined;
  let answered: FhirResponse;
  try {
    request = requestOf(engine, batch, entry);
    if (engine.now() > end) throw tooLate();
    answered = await dispatch(engine, request);
  } catch (error) {
    const { failure, isFault } = answerOf(error, batch.requestId);
    if (isFault) engine.fault(error, batch.requestId);
    answered = { status: failure.status, body: JSON.stringify(operationOutcome(failure.issues)) };
  }
  if (request !== undefined) {
    const { status, records = [] } = answered;
    engine.audit.answered({ ...request, query: urlOf(entry) }, { status, records });
  }
  return printEntry(answered, request);
}

const tooLate = (): FhirError =>
  fhirError(503, 'timeout', `The batch took longer than ${LONGEST / 1_000} seconds. Send this entry again.`);

/** https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.response */
function printEntry({ status, body, etag, lastModified, headers }: FhirResponse, request?: FhirRequest): string {
  const isOutcome = body?.startsWith('{"resourceType":"OperationOutcome"') === true;
  const location = headers?.['Location'];
  const properties = [
    `"status":"${status}"`,
    ...(location === undefined ? [] : [`"location":${JSON.stringify(location)}`]),
    ...(etag === undefined ? [] : [`"etag":${JSON.stringify(printETag(etag))}`]),
    ...(lastModified === undefined ? [] : [`"lastModified":"${printInstant(lastModified)}"`]),
    ...(isOutcome ? [`"outcome":${body}`] : []),
  ];
  const fullUrl = location?.replace(/\/_history\/.*$/, '') ?? addressOf(request, status);
  const isShown = body !== undefined && !isOutcome && request?.method !== 'HEAD';
  return `{${[
    ...(fullUrl === undefined ? [] : [`"fullUrl":${JSON.stringify(fullUrl)}`]),
    ...(isShown ? [`"resource":${body}`] : []),
    `"response":{${properties.join(',')}}`,
  ].join(',')}}`;
}

/** The address of a record that was read. */
function addressOf(request: FhirRequest | undefined, status: number): string | undefined {
  if ((request?.interaction !== 'read' && request?.interaction !== 'vread') || status !== 200) return undefined;
  return `${request.base}/${request.resourceType}/${request.id}`;
}
