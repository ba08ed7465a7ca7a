import { printETag } from '../../fhir/etag.ts';
import { printInstant } from '../../fhir/resource-text.ts';
import type { InteractionCode } from '../../fhir/interaction.ts';
import type { SentRequest, FhirResponse } from '../interaction.ts';

/**
 * The text of an entry of an answer; `request` is undefined if the entry had no valid one.
 * https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.response
 */
export function printEntry({ status, body, etag, lastModified, headers }: FhirResponse, request?: SentRequest): string {
  // What an operation returns is a resource, whichever its type.
  const isReturned = request?.interaction === 'operation' && status < 400;
  const isOutcome = !isReturned && body?.startsWith('{"resourceType":"OperationOutcome"') === true;
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

/** The answer of an entry, without its resource. */
export function withoutBody(answer: FhirResponse): FhirResponse {
  const { body: _, ...rest } = answer;
  return rest;
}

/**
 * The answer of a write, without its record if the answer of the Bundle has no room for it any more: the client has
 * sent it, and whether it comes back is the server's choice (https://hl7.org/fhir/R4/http.html#ops).
 */
export function withinRoom(answer: FhirResponse, { interaction, room }: SentRequest): FhirResponse {
  if (room === undefined || answer.body === undefined || answer.status >= 400 || !isWrite.has(interaction))
    return answer;
  if (!room.fits(answer.body.length)) return withoutBody(answer);
  try {
    room.take(answer.body.length);
    return answer;
  } catch {
    return withoutBody(answer); // the answers of other requests have the room
  }
}

const isWrite: ReadonlySet<InteractionCode> = new Set(['create', 'update', 'patch']);

/** The address of a record that was read. */
function addressOf(request: SentRequest | undefined, status: number): string | undefined {
  if ((request?.interaction !== 'read' && request?.interaction !== 'vread') || status !== 200) return undefined;
  return `${request.base}/${request.resourceType}/${request.id}`;
}
