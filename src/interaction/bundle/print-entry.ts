import { printETag } from '../../fhir/etag.ts';
import { printInstant } from '../../fhir/resource-text.ts';
import type { FhirRequest, FhirResponse } from '../interaction.ts';

/**
 * The text of an entry of an answer; `request` is undefined if the entry had no valid one.
 * https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.response
 */
export function printEntry({ status, body, etag, lastModified, headers }: FhirResponse, request?: FhirRequest): string {
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

/** The address of a record that was read. */
function addressOf(request: FhirRequest | undefined, status: number): string | undefined {
  if ((request?.interaction !== 'read' && request?.interaction !== 'vread') || status !== 200) return undefined;
  return `${request.base}/${request.resourceType}/${request.id}`;
}
