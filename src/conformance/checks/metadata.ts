import { asObject, asString, stringsOf } from '../../fhir/json-object.ts';
import type { JsonObject } from '../../fhir/json-object.ts';
import type { Client, Exchange } from '../client.ts';
import type { Findings } from '../findings.ts';
import { checkMediaType } from './media-type.ts';

/** Checks the CapabilityStatement; false if nothing can be tested by it. */
export function checkMetadata(exchange: Exchange, findings: Findings): boolean {
  const { resourceType, fhirVersion, rest } = exchange.json ?? {};
  checkMediaType(exchange, 'metadata', findings);
  const isStatement = exchange.status === 200 && resourceType === 'CapabilityStatement';
  const came = `Status ${exchange.status}, ${asString(resourceType) ?? exchange.failure ?? 'no resource'}`;
  const isUsable = isStatement && Array.isArray(rest);
  const isR4 = asString(fhirVersion)?.startsWith('4.0') === true;
  findings.decide(
    isUsable && isR4,
    'metadata.statement',
    'metadata',
    isStatement ? `fhirVersion is ${String(fhirVersion)}` : came,
    'Status 200 with a CapabilityStatement of FHIR 4.0.1 with `rest`',
    exchange,
  );
  return isUsable && isR4;
}

/**
 * Checks the SMART metadata if the statement says SMART-on-FHIR.
 * https://hl7.org/fhir/smart-app-launch/STU2.2/conformance.html#using-well-known
 */
export async function checkSmart(client: Client, isSmart: boolean, findings: Findings): Promise<JsonObject> {
  const subject = '.well-known/smart-configuration';
  const exchange = await client.get(subject, { Accept: 'application/json' });
  const { status, json = {} } = exchange;
  if (!isSmart && status !== 200) return {};
  const capabilities = stringsOf(json['capabilities']);
  const required = [
    'capabilities',
    'token_endpoint',
    'grant_types_supported',
    'code_challenge_methods_supported',
    ...(capabilities.some(one => one.startsWith('launch-')) ? ['authorization_endpoint'] : []),
    ...(capabilities.includes('sso-openid-connect') ? ['issuer', 'jwks_uri'] : []),
  ];
  const missing = required.filter(name => json[name] === undefined);
  const methods = stringsOf(json['code_challenge_methods_supported']);
  const isRight = status === 200 && missing.length === 0 && methods.includes('S256') && !methods.includes('plain');
  const came =
    status !== 200
      ? `Status ${status}`
      : missing.length > 0
        ? `It lacks ${missing.join(', ')}`
        : `code_challenge_methods_supported is ${methods.join(', ')}`;
  const expected = 'Status 200 with the required metadata, and S256 but not plain as challenge method';
  findings.decide(isRight, 'smart.configuration', subject, came, expected, exchange);
  return asObject(json);
}
