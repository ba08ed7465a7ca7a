import { asString } from '../../fhir/json-object.ts';
import type { Exchange } from '../client.ts';
import type { Findings } from '../findings.ts';

/**
 * Checks that an answer with a body has the media type of FHIR JSON; `application/json` is accepted.
 * https://hl7.org/fhir/R4/http.html#mime-type
 */
export function checkMediaType(exchange: Exchange, subject: string, findings: Findings): void {
  if (exchange.text === '' || exchange.status === 0) return;
  const type = mediaTypeOf(exchange);
  findings.decide(
    (type === 'application/fhir+json' || type === 'application/json') && exchange.json !== undefined,
    'negotiation.media-type',
    subject,
    exchange.json === undefined ? `A body of type ${type} that is not JSON` : `Content-Type is ${type}`,
    'Content-Type: application/fhir+json, as the request accepts it',
    exchange,
  );
}

/** The media type of an answer, without parameters. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  (headers.get('Content-Type') ?? '').replace(/;.*/, '').trim().toLowerCase();

/**
 * Checks that an error has an OperationOutcome; an empty body is left open.
 * https://hl7.org/fhir/R4/http.html#Status-Codes
 */
export function checkOutcome(exchange: Exchange, subject: string, findings: Findings): void {
  if (exchange.text === '') {
    findings.open('error.outcome', subject, `Status ${exchange.status} without a body`);
    return;
  }
  checkMediaType(exchange, subject, findings);
  const { resourceType, issue } = exchange.json ?? {};
  const isOutcome = resourceType === 'OperationOutcome' && Array.isArray(issue) && issue.length > 0;
  const came = `Status ${exchange.status} with ${asString(resourceType) ?? 'no resource'}`;
  findings.decide(isOutcome, 'error.outcome', subject, came, 'An OperationOutcome with at least one issue', exchange);
}
