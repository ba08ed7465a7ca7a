import type { TestContext } from '../context.ts';
import { mediaTypeOf } from './media-type.ts';

/** Media types by the words of a capability statement. https://hl7.org/fhir/R4/http.html#mime-type */
const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/fhir+json',
  xml: 'application/fhir+xml',
  ttl: 'text/turtle',
};

/** The declared formats, `_format`, and a media type that no server offers. */
export async function checkNegotiation({ client, findings, statement }: TestContext): Promise<void> {
  for (const format of statement.formats) {
    const type = mediaTypes[format] ?? format;
    const exchange = await client.get('metadata', { Accept: type });
    const shown = mediaTypeOf(exchange);
    const isRight = exchange.status === 200 && (shown === type || isAlike(shown, type));
    const came = `Status ${exchange.status}, Content-Type ${shown}`;
    findings.decide(isRight, 'metadata.format', `metadata as ${format}`, came, `Content-Type: ${type}`, exchange);
  }
  const exchange = await client.get('metadata?_format=json', { Accept: 'text/html' });
  const shown = mediaTypeOf(exchange);
  const isRight = exchange.status === 200 && isAlike(shown, 'application/fhir+json');
  const came = `Status ${exchange.status}, Content-Type ${shown}`;
  const expected = 'Content-Type: application/fhir+json';
  findings.decide(isRight, 'negotiation.format', 'metadata?_format=json', came, expected, exchange);
  const other = await client.get('metadata', { Accept: 'application/x-qzxj' });
  const subject = 'metadata as application/x-qzxj';
  if (other.status >= 500 && other.status !== 501)
    findings.fail('negotiation.unsupported', subject, `Status ${other.status}`, 'Status 406', other);
  else if (other.status === 406) findings.pass('negotiation.unsupported', subject);
  else findings.open('negotiation.unsupported', subject, `Status ${other.status}`);
}

/** `application/json` for `application/fhir+json`, and `application/fhir+json` for a parameterised form of it. */
const isAlike = (shown: string, type: string): boolean => kindOf(shown) === kindOf(type) && kindOf(shown) !== undefined;

const kindOf = (type: string): string | undefined => /\b(json|xml|turtle)\b/.exec(type)?.[1];
