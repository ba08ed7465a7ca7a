import type { JWTPayload } from 'jose';
import { isId } from '../../fhir/reference.ts';
import { TokenRefused } from '../claims.ts';
import type { Claims } from '../claims.ts';
import type { IssuerSettings } from './settings.ts';

/**
 * The claims of an external issuer's token, once its signature is verified. `baseOf` returns the base URL of a
 * partition; `expires`, in milliseconds since 1970 UTC, includes the clock skew. Throws TokenRefused for another
 * audience, for no partition or several, and for malformed claims.
 */
export function readExternalClaims(
  payload: JWTPayload,
  issuer: IssuerSettings,
  baseOf: (partition: string) => string,
  expires: number,
): Claims {
  const { claims, scopeNames } = issuer;
  const client = textOf(payload, claims.client);
  if (client === undefined) throw new TokenRefused('The token names no client.');
  const partition = partitionOf(payload, issuer, baseOf, client);
  const subject = textOf(payload, claims.subject);
  const patient = textOf(payload, claims.patient);
  if (patient !== undefined && !isId(patient)) throw new TokenRefused('The patient of the token is not an id.');
  const words = claims.scope.flatMap(name => wordsOf(payload[name]));
  return {
    issuer: issuer.issuer,
    client,
    subject: subject === client ? undefined : subject, // a backend service: RFC 9068 2.2
    scope: [...new Set(words.map(word => scopeNames.get(word) ?? word))].join(' '),
    patient,
    fhirUser: textOf(payload, claims.fhirUser),
    partition,
    expires,
  };
}

function partitionOf(
  payload: JWTPayload,
  { partitions, audiences, claims }: IssuerSettings,
  baseOf: (partition: string) => string,
  client: string,
): string {
  const given = [payload.aud ?? []].flat();
  const accepted = audiences ?? partitions.map(baseOf);
  const matching = given.filter(audience => accepted.includes(audience));
  if (matching.length === 0) throw new TokenRefused('The token is for another audience.');
  // The audience of an ID token is the client itself. https://openid.net/specs/openid-connect-core-1_0.html#IDToken
  if (matching.includes(client))
    throw new TokenRefused('The audience of the token is its own client, as in an ID token.');
  const named =
    audiences === undefined
      ? partitions.filter(partition => matching.includes(baseOf(partition)))
      : claims.partition === undefined
        ? partitions
        : wordsOf(payload[claims.partition]);
  const [partition, ...more] = new Set(named);
  if (partition === undefined || more.length > 0) throw new TokenRefused('The token names no partition, or several.');
  if (!partitions.includes(partition)) throw new TokenRefused('The issuer of the token does not serve this partition.');
  return partition;
}

/**
 * The first of these claims that is present; a list of one counts as its item. Throws TokenRefused for another type of
 * value.
 */
export function textOf(payload: JWTPayload, names: readonly string[]): string | undefined {
  const name = names.find(name => payload[name] !== undefined && payload[name] !== null);
  if (name === undefined) return undefined;
  const [value, ...more] = [payload[name]].flat();
  if (typeof value === 'string' && value !== '' && more.length === 0) return value;
  throw new TokenRefused(`The claim ${name} of the token cannot be read.`);
}

/** The words of a claim: a text with spaces between them, or a list. */
function wordsOf(value: unknown): readonly string[] {
  const texts = [value ?? []].flat();
  if (!texts.every(text => typeof text === 'string')) throw new TokenRefused('A claim of the token cannot be read.');
  return texts.flatMap(text => text.split(' ')).filter(word => word !== '');
}
